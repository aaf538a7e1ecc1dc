import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import type { UpstreamScript } from "@gatehouse/e2e";

export const encodings = ["gzip", "br", "deflate"] as const;
export type Encoding = (typeof encodings)[number];

/** The best would take ten seconds of some shapes of 4 MiB. */
const brotliQuality = 5;

const compress: Readonly<Record<Encoding, (bytes: Uint8Array) => Buffer>> = {
  gzip: (bytes) => gzipSync(bytes),
  br: (bytes) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: brotliQuality } }),
  deflate: (bytes) => deflateSync(bytes),
};

/** Answers with a body as it is, or compressed. */
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

/** Answers a JSON-RPC request with an envelope whose `result` is this JSON text, whatever it is. */
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

/** Writes a piece over and over, as fast as it is taken, until the connection closes or `bytesMax` are written. */
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
  // The other one would wait, with its listeners, for as long as the reply lasts.
  over.abort();
}
