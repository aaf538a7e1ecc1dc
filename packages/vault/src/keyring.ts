import { hkdfSync } from "node:crypto";
import type { SecretSource } from "./secret-source.ts";
import { Secret } from "./secret.ts";

const keyByteLength = 32;
const keyIdPattern = /^[a-z0-9-]{1,32}$/;

/** Keys for sealing, by id. New values are sealed under `currentId`; older ids stay to open what they sealed. */
export interface Keyring {
  readonly currentId: string;
  readonly keys: ReadonlyMap<string, Buffer>;
  /** Opens what is stored as a reference to a secret kept elsewhere; absent: nothing is. */
  readonly references?: SecretSource;
}

/**
 * Reads `id:base64key,id:base64key`; the first is the current one. Each key is 32 bytes.
 * @throws Error naming the position of a bad entry, never its content.
 */
export function parseKeyring(text: Secret): Keyring {
  const entries = text
    .reveal()
    .split(",")
    .map((entry, index) => parseEntry(entry.trim(), index + 1));
  const [first] = entries;
  if (first === undefined) throw new Error("The keyring is empty.");
  return { currentId: first.id, keys: new Map(entries.map(({ id, key }) => [id, key])) };
}

/** A keyring of one key, derived from a longer-lived root secret for one purpose (HKDF-SHA-256, RFC 5869). */
export function deriveKeyring(root: Secret, purpose: string): Keyring {
  const key = Buffer.from(hkdfSync("sha256", root.reveal(), "", `gatehouse/${purpose}`, keyByteLength));
  return { currentId: "root", keys: new Map([["root", key]]) };
}

/** The text that {@link parseKeyring} reads. */
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
    throw new Error(
      `Keyring entry ${position} has no valid id; write it as id:base64key with an id of a-z, 0-9 and "-".`,
    );
  }
  if (key.length !== keyByteLength) {
    throw new Error(`Keyring entry ${position} must hold ${keyByteLength} bytes in base64.`);
  }
  return { id, key };
}
