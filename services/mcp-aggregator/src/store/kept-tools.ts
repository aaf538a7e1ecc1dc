import { type JsonBounds, type JsonPart, OutlineReader, type OutlineSpec } from "@gatehouse/json";
import { isJsonObject, type JsonObject, parseExactJson } from "@gatehouse/json-rpc";
import type { Pace } from "@gatehouse/pace";
import { type ListedTool, toListedTool } from "../domain/tool-shape.ts";

/** The tools of an upstream as one JSON text. */
export function encodeKeptTools(tools: readonly ListedTool[]): string {
  const texts = tools.map(({ name, definitionText, metadataText }) => {
    return `{"name":${JSON.stringify(name)},"definition":${definitionText},"metadata":${metadataText}}`;
  });
  return `[${texts.join(",")}]`;
}

const toolsSpec: OutlineSpec = { items: { members: {} } };
/** Written by this service, so only the size of the text is bounded. */
const bounds: JsonBounds = {
  depthMax: 1_000,
  valuesMax: Number.MAX_SAFE_INTEGER,
  membersMax: Number.MAX_SAFE_INTEGER,
  keyLengthMax: Number.MAX_SAFE_INTEGER,
};
const stepBytes = 16 * 1024;

/** Reads what {@link encodeKeptTools} wrote, one tool after another. */
export async function readKeptTools(text: string, pace: Pace): Promise<readonly ListedTool[]> {
  const reader = new OutlineReader(Buffer.from(text), toolsSpec, bounds);
  let outline = reader.read(stepBytes);
  while (outline === undefined) {
    await pace.rest();
    outline = reader.read(stepBytes);
  }
  const tools: ListedTool[] = [];
  for (const part of outline.items ?? []) {
    if (pace.isDue) await pace.rest();
    tools.push(readKeptTool(part));
  }
  return tools;
}

function readKeptTool({ members }: JsonPart): ListedTool {
  const definition = objectOf(members?.get("definition"));
  const { name, description, inputSchema } = definition;
  if (typeof name !== "string" || typeof description !== "string" || !isJsonObject(inputSchema)) {
    throw new TypeError("A kept tool has no definition.");
  }
  return toListedTool({ name, description, inputSchema }, objectOf(members?.get("metadata")));
}

function objectOf(part: JsonPart | undefined): JsonObject {
  const value = part === undefined ? undefined : parseExactJson(part.text);
  if (!isJsonObject(value)) throw new TypeError("A kept tool is incomplete.");
  return value;
}
