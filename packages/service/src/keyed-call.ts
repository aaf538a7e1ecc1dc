import { createHmac } from "node:crypto";
import { deriveKeyring, deriveSecret, type Keyring, seal, Secret, unseal } from "@gatehouse/vault";

/** A call of an operation under a key of its caller. */
export interface KeyedCall {
  readonly operation: string;
  /** 32 bytes that are one caller's, made of a key that the caller alone has: nothing of it is stored. */
  readonly key: Buffer;
  readonly arguments: object;
  /** Aborted when the caller no longer waits. */
  readonly signal: AbortSignal;
}

/** Everything that is stored of a keyed call, derived from its key: without the key the row says nothing. */
export interface CallSeal {
  readonly id: string;
  /** Fingerprint of the arguments; the order of their members does not matter. */
  readonly fingerprint: string;
  readonly seal: (answer: object) => string;
  /** @throws GatewayError `internal` for what this call has not sealed */
  readonly open: (sealed: string) => object;
}

/** Derives from a call's key; callers, keys and operations do not meet. */
export function sealOfCall({ operation, key, arguments: given }: Omit<KeyedCall, "signal">): CallSeal {
  const root = new Secret(key.toString("base64url"));
  const purpose = (part: string) => `answered-call/${operation}/${part}`;
  const id = deriveSecret(root, purpose("id")).reveal();
  const keyring: Keyring = deriveKeyring(root, purpose("answer"));
  const printing = deriveSecret(root, purpose("arguments")).reveal();
  return {
    id,
    fingerprint: createHmac("sha256", printing).update(JSON.stringify(given, inOrder)).digest("base64url"),
    seal: (answer) => seal(keyring, new Secret(JSON.stringify(answer)), id),
    open: (sealed) => JSON.parse(unseal(keyring, sealed, id).reveal()) as object,
  };
}

/** Two clients, or two tries of one, may write the members of an object in any order. */
function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
