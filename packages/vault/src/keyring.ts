import { hkdfSync } from "node:crypto";
import type { SecretSource } from "./secret-source.ts";
import { Secret } from "./secret.ts";

const keyByteLength = 32;
const keyIdPattern = /^[a-z0-9-]{1,32}$/;

/** Keys for sealing, by id. `currentId` seals new values; older keys still open theirs. */
export interface Keyring {
  readonly currentId: string;
  readonly keys: ReadonlyMap<string, Buffer>;
  /** Opens references to secrets kept elsewhere; absent: references are not supported. */
  readonly references?: SecretSource;
  /** Where an operator puts a missing key back, for messages; absent: see {@link missingKeyRemedy}. */
  readonly remedy?: string;
}

/** Text for messages about values that a keyring does not open: what its operator can do. */
export function missingKeyRemedy({ remedy }: Keyring): string {
  return remedy ?? "add the key that sealed them to GATEHOUSE_KEYRING";
}

/**
 * Parses `id:base64key,id:base64key`, with different ids; the first is the current one. Each key is 32 bytes.
 * @throws Error with the position of an invalid entry, never its content.
 */
export function parseKeyring(text: Secret): Keyring {
  const entries = text
    .reveal()
    .split(",")
    .map((entry, index) => parseEntry(entry.trim(), index + 1));
  const repeated = entries.findIndex(({ id }, at) => entries.findIndex((entry) => entry.id === id) < at);
  if (repeated >= 0) throw new Error(`entry ${repeated + 1} has the id of an earlier entry`);
  const [first] = entries;
  if (first === undefined) throw new Error("it is empty");
  return { currentId: first.id, keys: new Map(entries.map(({ id, key }) => [id, key])) };
}

/** A keyring of one key, derived from a longer-lived root secret for one purpose (HKDF-SHA-256, RFC 5869). */
export function deriveKeyring(root: Secret, purpose: string): Keyring {
  const key = Buffer.from(hkdfSync("sha256", root.reveal(), "", `gatehouse/${purpose}`, keyByteLength));
  const remedy = "restore the root-secret that belongs to this database into the data folder";
  return { currentId: "root", keys: new Map([["root", key]]), remedy };
}

/** Text form that {@link parseKeyring} parses. */
export function formatKeyring({ currentId, keys }: Keyring): Secret {
  const ids = [currentId, ...[...keys.keys()].filter((id) => id !== currentId)];
  return new Secret(ids.map((id) => `${id}:${keys.get(id)?.toString("base64") ?? ""}`).join(","));
}

/** A secret for one purpose, derived from a root secret; base64url, 32 bytes. */
export function deriveSecret(root: Secret, purpose: string): Secret {
  return new Secret(
    Buffer.from(hkdfSync("sha256", root.reveal(), "", `gatehouse/${purpose}`, keyByteLength)).toString("base64url"),
  );
}

function parseEntry(entry: string, position: number): { readonly id: string; readonly key: Buffer } {
  const separator = entry.indexOf(":");
  const id = entry.slice(0, separator);
  const key = Buffer.from(entry.slice(separator + 1), "base64");
  if (separator < 0 || !keyIdPattern.test(id)) {
    throw new Error(`entry ${position} has no valid id; write it as id:base64key with an id of a-z, 0-9 and '-'`);
  }
  if (key.length !== keyByteLength) {
    throw new Error(`entry ${position} must hold ${keyByteLength} bytes in base64`);
  }
  return { id, key };
}
