import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import type { UpstreamScript } from "@gatehouse/e2e";

export const encodings = ["gzip", "br", "deflate"] as const;
export type Encoding = (typeof encodings)[number];

/** Best quality would take ten seconds for some shapes of 4 MiB. */
const brotliQuality = 5;

const compress: Readonly<Record<Encoding, (bytes: Uint8Array) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes),
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
  deflate: (bytes) => deflateSync(bytes),
};

/** Answers with a body, plain or compressed. */
export function replyBytes(
  body: string | Uint8Array,
  { encoding, contentType = "application/json", status = 200 }: ReplyOptions = {},
): UpstreamScript {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const sent = encoding === undefined ? bytes : compress[encoding](bytes);
  const headers = { "content-type": contentType, ...(encoding === undefined ? {} : { "content-encoding": encoding }) };
  return (_request, res) => {
    res.writeHead(status, headers).end(sent);
  };
}

export interface ReplyOptions {
  readonly encoding?: Encoding;
  readonly contentType?: string;
  readonly status?: number;
}

/** Answers a JSON-RPC request with this text as `result`, valid or not. */
export function replyResult(resultText: string, options: ReplyOptions = {}): UpstreamScript {
  return async (request, res) => {
    const { id } = request.body;
    if (id === undefined) {
      res.writeHead(202).end();
      return;
    }
    const envelope = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${resultText}}`;
    const isStream = options.contentType === "text/event-stream";
    await replyBytes(isStream ? `event: message\ndata: ${envelope}\n\n` : envelope, options)(request, res);
  };
}

/** Writes a piece repeatedly, as fast as it is read, until the connection closes or `bytesMax` are written. */
export function flood(
  piece: string,
  { bytesMax, contentType = "text/event-stream", head = "" }: FloodOptions,
): UpstreamScript {
  return async (_request, res) => {
    res.writeHead(200, { "content-type": contentType });
    res.write(head);
    for (let written = 0; written < bytesMax && !res.destroyed; written += piece.length) {
      if (!res.write(piece)) await drained(res);
    }
    res.end();
  };
}

export interface FloodOptions {
  readonly bytesMax: number;
  readonly contentType?: string;
  readonly head?: string;
}

async function drained(res: ServerResponse): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(res, "drain", { signal }), once(res, "close", { signal })]);
  // Otherwise the other wait and its listeners would last as long as the reply.
  over.abort();
}
