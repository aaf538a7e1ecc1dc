import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw } from "node:zlib";
import { Semaphore } from "@gatehouse/async";
import { GatewayError } from "@gatehouse/errors";
import { type BodyBounds, readBody } from "./body.ts";

/** Decompressed bytes permitted for each byte received: ten times the usual ratio of JSON text. */
export const inflationRatioMax = 64;
/** Decompressed size permitted for a body of any size: a short repetitive text is no attack. */
const inflationFreeBytes = 64 * 1024;

/** Bodies that a process decompresses at once: Node's four threads for it also serve files and DNS. */
const decodingAtOnceMax = 2;
const decoding = new Semaphore(decodingAtOnceMax);
/** Bytes decompressed before the event loop is notified. */
const chunkSize = 128 * 1024;

type Decode = (
  bytes: Buffer,
  options: { readonly maxOutputLength: number; readonly chunkSize: number },
) => Promise<Buffer>;

const inflateZlib: Decode = promisify(inflate);
const inflateBare: Decode = promisify(inflateRaw);

/** A zlib header has 8 in the low half of its first byte (RFC 1950); some clients send the raw stream (RFC 9110, 8.4.1.2). */
const inflateEither: Decode = async (bytes, options) =>
  await (((bytes[0] ?? 0) & 0x0f) === 8 ? inflateZlib : inflateBare)(bytes, options);

/** Codings of RFC 9110, section 8.4.1, and Brotli (RFC 7932). Each runs off the event loop, in pieces, and stops at the bound. */
const decoders: ReadonlyMap<string, Decode> = new Map([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", inflateEither],
  ["br", promisify(brotliDecompress)],
]);

/** Most bytes that a compressed body may decompress to. */
export function decodedBytesMax(encodedBytes: number, sizeBytesMax: number): number {
  return Math.min(sizeBytesMax, Math.max(inflationFreeBytes, encodedBytes * inflationRatioMax));
}

/** Whether a request declares its body as compressed. */
export function isEncoded({ headers }: IncomingMessage): boolean {
  return codingOf(headers["content-encoding"]) !== undefined;
}

/**
 * Reads a request's whole body and decompresses it by `Content-Encoding`. The decompressed size has the bound of an uncompressed
 * body, and one that depends on the received size, so that a small body stays cheap.
 * @throws GatewayError as `readBody`; `malformed_body` for an unknown coding or invalid bytes.
 */
export function readDecodedBody(req: IncomingMessage, bounds: BodyBounds): Promise<Buffer> {
  const encoding = req.headers["content-encoding"];
  const coding = codingOf(encoding);
  if (coding === undefined) return readBody(req, bounds);
  if (!decoders.has(coding)) return Promise.reject(unknownCoding(coding));
  return readBody(req, bounds).then((bytes) => decodeBody(bytes, encoding, bounds.sizeBytesMax));
}

/**
 * Decompresses a body by `encoding`, its `Content-Encoding`.
 * @throws GatewayError `body_too_large`; `malformed_body` for an unknown coding or invalid bytes.
 */
export async function decodeBody(bytes: Buffer, encoding: string | undefined, sizeBytesMax: number): Promise<Buffer> {
  const coding = codingOf(encoding);
  if (coding === undefined) return bytes;
  const decode = decoders.get(coding);
  if (decode === undefined) throw unknownCoding(coding);
  // An empty body is valid in any coding, although the codings themselves have no empty form.
  if (bytes.length === 0) return bytes;
  const maxOutputLength = decodedBytesMax(bytes.length, sizeBytesMax);
  try {
    return await decoding.run(async () => await decode(bytes, { maxOutputLength, chunkSize }));
  } catch (cause) {
    if ((cause as { readonly code?: unknown }).code === "ERR_BUFFER_TOO_LARGE") throw growsTooLarge(maxOutputLength);
    throw new GatewayError("malformed_body", `Request body is not valid ${coding}, as its Content-Encoding says.`, {
      cause,
    });
  }
}

function codingOf(header: string | undefined): string | undefined {
  const coding = header?.trim().toLowerCase() ?? "";
  return coding === "" || coding === "identity" ? undefined : coding;
}

/** Most characters of a header that a message quotes. */
const quotedCharsMax = 64;

function unknownCoding(coding: string): GatewayError {
  const message = `Content-Encoding '${coding.slice(0, quotedCharsMax)}' is not supported; send gzip, deflate, br or none.`;
  return new GatewayError("malformed_body", message);
}

function growsTooLarge(sizeBytesMax: number): GatewayError {
  return new GatewayError("body_too_large", `Request body is larger than ${sizeBytesMax} bytes when decompressed.`, {
    details: {
      detail: `A compressed body may grow to ${inflationRatioMax} times its size, and to BODY_SIZE_BYTES_MAX. Send it uncompressed, or send less.`,
    },
  });
}
