import { hash, randomBytes } from "node:crypto";

/** Bytes of the hash that are used, and their range. */
const bytes = 6;
const range = 256 ** bytes;

let secret: string | undefined;

/**
 * Sample point of a call, from 0 to 1, equal for all questions of the call, which come from one process. Callers may choose the
 * id of a request, so the hash begins with a secret. No HMAC is needed, whose key object takes Node 30 µs: six bytes of a hash do
 * not permit a length extension.
 */
export function samplePointOf(requestId: string): number {
  secret ??= randomBytes(32).toString("hex");
  return hash("sha256", secret + requestId, "buffer").readUIntBE(0, bytes) / range;
}
