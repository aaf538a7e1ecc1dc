import { createHash } from "node:crypto";
import { invalidArgument } from "@gatehouse/errors";
import type { JsonObject } from "@gatehouse/json-rpc";

/** Member of a call's `_meta`, and of that of `tools/list`, where it has the names of the operations that take a key. */
export const idempotencyKeyName = "gatehouse/idempotency-key";

/** Characters of a key: what answers are sealed under is made of it, so that it must not be guessed. A UUID has 36. */
const keyLengthMin = 32;
const keyLengthMax = 200;
const visibleAscii = /^[!-~]+$/;

/**
 * The caller's idempotency key as owners take it: another caller's key of the same text is another one, and the text itself goes no
 * further.
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
