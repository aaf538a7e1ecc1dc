import { hash } from "node:crypto";
import { isJsonObject, type JsonObject, jsonRpcErrorCodes } from "@gatehouse/json-rpc";
import type { Answer } from "./json-rpc-answer.ts";
import type { Listing } from "./listing.ts";
import { hashTools } from "./tool-pins.ts";
import { sortTools } from "./tool-shape.ts";
import { UpstreamFailure } from "./upstream-failure.ts";

const pagesMax = 100;
const toolsMax = 5_000;
const bytesMax = 16 * 1024 * 1024;

/** Asks for one page; undefined for the first. */
export type AskForPage = (params: JsonObject | undefined) => Promise<Answer>;

/**
 * Reads all pages of an upstream's tools, within bounds. What cannot be read after the first page leaves a gap; nothing that was
 * read is lost. Answers with `known` itself where nothing has changed since. @throws UpstreamFailure where the first page fails.
 */
export async function listTools(ask: AskForPage, known?: Listing): Promise<Listing> {
  const { pages, gap } = await readPages(ask);
  const values = pages.flatMap(({ tools }) => tools);
  const fingerprint = hash("sha1", pages.map(({ text }) => text).join(), "hex");
  if (gap === undefined && known?.gap === undefined && known?.fingerprint === fingerprint) return known;
  const { tools, quarantined } = sortTools(values.slice(0, toolsMax));
  const ttlMs = pages[0]?.ttlMs;
  return { tools: hashTools(tools), quarantined, gap: gap ?? tooMany(values.length), ttlMs, fingerprint };
}

async function readPages(ask: AskForPage): Promise<{ readonly pages: readonly Page[]; readonly gap?: string }> {
  const pages: Page[] = [];
  const cursors = new Set<string>();
  const size = { tools: 0, bytes: 0 };
  for (let cursor: string | undefined; ;) {
    const page = await readPage(ask, cursor).catch((err: unknown) => {
      if (cursor === undefined || !(err instanceof UpstreamFailure)) throw err;
      return err;
    });
    if (page instanceof UpstreamFailure) return { pages, gap: page.message };
    pages.push(page);
    size.tools += page.tools.length;
    size.bytes += page.text.length;
    cursor = page.nextCursor;
    if (cursor === undefined) return { pages };
    const gap = findExcess({ ...size, pages: pages.length, isRepeated: cursors.has(cursor) });
    if (gap !== undefined) return { pages, gap };
    cursors.add(cursor);
  }
}

interface Progress {
  readonly pages: number;
  readonly tools: number;
  readonly bytes: number;
  readonly isRepeated: boolean;
}

function findExcess({ pages, tools, bytes, isRepeated }: Progress): string | undefined {
  if (isRepeated) return "The upstream repeats a cursor.";
  if (pages >= pagesMax) return `The upstream has more than ${pagesMax} pages of tools.`;
  if (bytes > bytesMax) return `The upstream's tools are larger than ${bytesMax} characters.`;
  return tooMany(tools);
}

function tooMany(tools: number): string | undefined {
  return tools > toolsMax ? `The upstream has more than ${toolsMax} tools.` : undefined;
}

interface Page {
  readonly tools: readonly unknown[];
  /** Their JSON text. */
  readonly text: string;
  readonly nextCursor: string | undefined;
  readonly ttlMs: number | undefined;
}

const noTools: Page = { tools: [], text: "[]", nextCursor: undefined, ttlMs: undefined };

async function readPage(ask: AskForPage, cursor: string | undefined): Promise<Page> {
  const answer = await ask(cursor === undefined ? undefined : { cursor });
  // A server without tools does not know the method.
  if (answer.kind === "error" && answer.error.code === jsonRpcErrorCodes.methodNotFound) return noTools;
  if (answer.kind === "error") {
    throw new UpstreamFailure("malformed", { detail: `error ${answer.error.code} to tools/list` });
  }
  const { result } = answer;
  if (!isJsonObject(result) || !Array.isArray(result.tools)) {
    throw new UpstreamFailure("malformed", { detail: "a list of tools without tools" });
  }
  const { nextCursor, ttlMs } = result;
  return {
    tools: result.tools,
    text: JSON.stringify(result.tools),
    nextCursor: typeof nextCursor === "string" && nextCursor !== "" ? nextCursor : undefined,
    ttlMs: typeof ttlMs === "number" && ttlMs >= 0 ? ttlMs : undefined,
  };
}
