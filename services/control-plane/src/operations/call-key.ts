import { createHash } from "node:crypto";
import { invalidArgument } from "@gatehouse/errors";
import type { JsonObject } from "@gatehouse/json-rpc";

/** Member of a call's `_meta`, and of `tools/list`'s, where it lists the operations that accept a key. */
export const idempotencyKeyName = "gatehouse/idempotency-key";

/** Shortest key, characters: answers are sealed under it, so it must not be guessable. A UUID has 36. */
const keyLengthMin = 32;
const keyLengthMax = 200;
const visibleAscii = /^[!-~]+$/;

/**
 * Derives the key for owners from the caller's idempotency key, so that equal keys of different callers differ and owners do not
 * see the text.
 * @param meta of the call
 * @throws GatewayError `invalid_argument`
 */
export function readCallKey(meta: JsonObject | undefined, adminKeyId: number): Buffer | undefined {
  const key = meta?.[idempotencyKeyName];
  if (key === undefined) return undefined;
  const isKey = typeof key === "string" && key.length >= keyLengthMin && key.length <= keyLengthMax;
  if (!isKey || !visibleAscii.test(key)) {
    const rule = `must have ${keyLengthMin} to ${keyLengthMax} visible ASCII characters, made at random, such as a UUID`;
    throw invalidArgument(`_meta.${idempotencyKeyName} ${rule}`);
  }
  return createHash("sha256")
    .update(JSON.stringify(["gatehouse call key", adminKeyId, key]))
    .digest();
}
