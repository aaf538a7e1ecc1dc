import { createHmac, randomBytes } from "node:crypto";

/** Hexadecimal digits of the hash that count, and what they reach. */
const digits = 12;
const range = 16 ** digits;

let key: Buffer | undefined;

/**
 * Where a call lies between 0 and 1, the same for all its questions, which come from one process. Callers may choose the id of a
 * request, so the hash has a key that they do not know.
 */
export function samplePointOf(requestId: string): number {
  key ??= randomBytes(32);
  return Number.parseInt(createHmac("sha256", key).update(requestId).digest("hex").slice(0, digits), 16) / range;
}
