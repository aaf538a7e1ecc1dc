import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, inflateRaw } from "node:zlib";
import { Semaphore } from "@gatehouse/async";
import { GatewayError } from "@gatehouse/errors";
import { type BodyBounds, readBody } from "./body.ts";

/** Bytes that a body may have decompressed, for each byte that came: ten times what JSON text usually does. */
const inflationRatioMax = 64;
/** Up to here a body may grow whatever its size: a short text that repeats itself is no attack. */
const inflationFreeBytes = 64 * 1024;

/** Bodies that a process decompresses at once: its threads for that are also those of files and names, and there are four. */
const decodingAtOnceMax = 2;
const decoding = new Semaphore(decodingAtOnceMax);
/** A piece that is decompressed before the event loop hears of it, bytes. */
const chunkSize = 128 * 1024;

type Decode = (
  bytes: Buffer,
  options: { readonly maxOutputLength: number; readonly chunkSize: number },
) => Promise<Buffer>;

const inflateZlib: Decode = promisify(inflate);
const inflateBare: Decode = promisify(inflateRaw);

/** A zlib header has 8 in the low half of its first byte (RFC 1950); some clients send the bare stream (RFC 9110, 8.4.1.2). */
const inflateEither: Decode = async (bytes, options) =>
  await (((bytes[0] ?? 0) & 0x0f) === 8 ? inflateZlib : inflateBare)(bytes, options);

/** Codings of RFC 9110, section 8.4.1, and Brotli (RFC 7932). Each works off the event loop, piece by piece, and ends at the bound. */
const decoders: ReadonlyMap<string, Decode> = new Map([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", inflateEither],
  ["br", promisify(brotliDecompress)],
]);

/** The most that a body of so many bytes is decompressed to, bytes. */
export function decodedBytesMax(encodedBytes: number, sizeBytesMax: number): number {
  return Math.min(sizeBytesMax, Math.max(inflationFreeBytes, encodedBytes * inflationRatioMax));
}

/** Whether a request's body is compressed, as far as it says so. */
export function isEncoded({ headers }: IncomingMessage): boolean {
  return codingOf(headers["content-encoding"]) !== undefined;
}

/**
 * Reads a request's whole body and decompresses it, as `Content-Encoding` says. What it grows to is bounded like a body that
 * came as it is, and by its own size besides: a small body does not cost what a large one does.
 * @throws GatewayError as `readBody`; `malformed_body` for another coding and for bytes that are not of theirs.
 */
export function readDecodedBody(req: IncomingMessage, bounds: BodyBounds): Promise<Buffer> {
  const encoding = req.headers["content-encoding"];
  const coding = codingOf(encoding);
  if (coding === undefined) return readBody(req, bounds);
  if (!decoders.has(coding)) return Promise.reject(unknownCoding(coding));
  return readBody(req, bounds).then((bytes) => decodeBody(bytes, encoding, bounds.sizeBytesMax));
}

/**
 * Decompresses a body that was read, as `encoding`, its `Content-Encoding`, says.
 * @throws GatewayError `body_too_large`; `malformed_body` for another coding and for bytes that are not of theirs.
 */
export async function decodeBody(bytes: Buffer, encoding: string | undefined, sizeBytesMax: number): Promise<Buffer> {
  const coding = codingOf(encoding);
  if (coding === undefined) return bytes;
  const decode = decoders.get(coding);
  if (decode === undefined) throw unknownCoding(coding);
  // An empty body is empty in any coding; the codings themselves have no such form.
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

/** Characters of a header that a message repeats. */
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
