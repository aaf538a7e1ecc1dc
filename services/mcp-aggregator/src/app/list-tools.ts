import { createHash } from "node:crypto";
import { JsonPart } from "@gatehouse/json";
import { jsonRpcErrorCodes } from "@gatehouse/json-rpc";
import { Pace, runInSlices } from "@gatehouse/pace";
import type { RequestParams } from "../clients/upstream-connection.ts";
import type { Answer } from "../domain/json-rpc-answer.ts";
import { catalogueBytesMax as bytesMax, catalogueToolsMax as toolsMax, type Listing } from "../domain/listing.ts";
import { sortTools } from "../domain/tool-shape.ts";
import { UpstreamFailure } from "../domain/upstream-failure.ts";

const pagesMax = 100;
const cursorBytesMax = 64 * 1024;
/** Bytes that are hashed before other work runs. */
const hashedBytesMax = 1024 * 1024;

/** Requests one page; undefined: the first. */
type AskForPage = (params: RequestParams | undefined) => Promise<Answer>;

/**
 * Reads all pages of an upstream's tools, within bounds. A failure after the first page leaves a gap, and keeps the tools read so
 * far. Returns `known` itself if nothing has changed. @throws UpstreamFailure where the first page fails
 */
export async function listTools(ask: AskForPage, known?: Listing): Promise<Listing> {
  const { pages, gap } = await readPages(ask);
  const pace = new Pace();
  const fingerprint = await fingerprintOf(pages, pace);
  if (gap === undefined && known?.gap === undefined && known?.fingerprint === fingerprint) return known;
  const parts = pages.flatMap((page) => page.tools);
  const { tools, quarantined } = await runInSlices(sortTools(firstWithin(parts)), pace);
  const ttlMs = pages[0]?.ttlMs;
  return {
    tools,
    quarantined,
    gap: gap ?? tooMuch(parts.length, bytesOf(pages)),
    ttlMs,
    fingerprint,
    workMs: pace.end(),
  };
}

/** The first tools that fit into a catalogue. */
function firstWithin(parts: readonly JsonPart[]): readonly JsonPart[] {
  let bytes = 0;
  const excess = parts.findIndex((part) => (bytes += part.size) > bytesMax);
  return parts.slice(0, Math.min(toolsMax, excess === -1 ? parts.length : excess));
}

async function fingerprintOf(pages: readonly Page[], pace: Pace): Promise<string> {
  const hash = createHash("sha1");
  for (const { bytes } of pages) {
    for (let start = 0; start < bytes.length; start += hashedBytesMax) {
      hash.update(bytes.subarray(start, start + hashedBytesMax));
      if (pace.isDue) await pace.rest();
    }
    hash.update("\n");
  }
  return hash.digest("hex");
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
    size.bytes += page.bytes.length;
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
  if (isRepeated) return "The upstream sent the same page cursor twice.";
  if (pages >= pagesMax) return `The upstream has more than ${pagesMax} pages of tools.`;
  return tooMuch(tools, bytes);
}

function bytesOf(pages: readonly Page[]): number {
  return pages.reduce((sum, page) => sum + page.bytes.length, 0);
}

function tooMuch(tools: number, bytes: number): string | undefined {
  if (bytes > bytesMax) return `The upstream's tools are larger than ${bytesMax} bytes.`;
  return tools > toolsMax ? `The upstream has more than ${toolsMax} tools.` : undefined;
}

interface Page {
  readonly tools: readonly JsonPart[];
  /** JSON text of `tools`. */
  readonly bytes: Buffer;
  readonly nextCursor: string | undefined;
  readonly ttlMs: number | undefined;
}

const noTools: Page = { tools: [], bytes: Buffer.from("[]"), nextCursor: undefined, ttlMs: undefined };

async function readPage(ask: AskForPage, cursor: string | undefined): Promise<Page> {
  const params =
    cursor === undefined ? undefined : new Map([["cursor", JsonPart.known(JSON.stringify(cursor), "string")]]);
  const answer = await ask(params);
  // A server without tools does not implement the method.
  if (answer.kind === "error" && answer.error.code === jsonRpcErrorCodes.methodNotFound) return noTools;
  if (answer.kind === "error") {
    throw new UpstreamFailure("malformed", { detail: `error ${answer.error.code} to tools/list` });
  }
  const { members } = answer.result;
  const tools = members?.get("tools");
  if (tools?.items === undefined) throw new UpstreamFailure("malformed", { detail: "a list of tools without tools" });
  const nextCursor = members?.get("nextCursor")?.asString(cursorBytesMax);
  const ttlMs = members?.get("ttlMs")?.asNumber();
  return {
    tools: tools.items,
    bytes: tools.bytes,
    nextCursor: nextCursor === "" ? undefined : nextCursor,
    ttlMs: ttlMs !== undefined && ttlMs >= 0 ? ttlMs : undefined,
  };
}
