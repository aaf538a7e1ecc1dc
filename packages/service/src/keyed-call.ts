import { createHmac } from "node:crypto";
import { deriveKeyring, deriveSecret, type Keyring, seal, Secret, unseal } from "@gatehouse/vault";

/** An operation's call with an idempotency key of its caller. */
export interface KeyedCall {
  readonly operation: string;
  /** 32 bytes unique to one caller, derived from a key that only the caller has; not stored in any form. */
  readonly key: Buffer;
  readonly arguments: object;
  /** Aborted when the caller no longer waits. */
  readonly signal: AbortSignal;
}

/** The stored form of a keyed call, derived from its key: unreadable without it. */
export interface CallSeal {
  readonly id: string;
  /** Fingerprint of the arguments, independent of the order of their members. */
  readonly fingerprint: string;
  readonly seal: (answer: object) => string;
  /** @throws GatewayError `internal` for a text that this call has not sealed */
  readonly open: (sealed: string) => object;
}

/** Derives the seal from a call's key; distinct for each caller, key and operation. */
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

/** Sorts members: clients may write an object's members in any order. */
function inOrder(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
