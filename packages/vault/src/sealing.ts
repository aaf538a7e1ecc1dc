import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { internalError } from "@gatehouse/errors";
import type { Keyring } from "./keyring.ts";
import { isReferenceText } from "./secret-reference.ts";
import { Secret } from "./secret.ts";

const version = "v1";
const nonceByteLength = 12;
const tagByteLength = 16;

/**
 * Seals a secret with AES-256-GCM under the keyring's current key, bound to `boundTo` – its storage place, such as
 * `chat.credentials/<uuid>` – so that a value copied to another row does not open. A secret that is kept elsewhere is stored as
 * its reference.
 * @returns `v1.<key id>.<nonce>.<ciphertext and tag>`, the parts in base64url; or the reference.
 */
export function seal(keyring: Keyring, secret: Secret, boundTo: string): string {
  if (secret.reference !== undefined) return secret.reference;
  const key = requireKey(keyring, keyring.currentId);
  const nonce = randomBytes(nonceByteLength);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: tagByteLength });
  cipher.setAAD(Buffer.from(boundTo));
  const body = Buffer.concat([cipher.update(secret.reveal(), "utf8"), cipher.final(), cipher.getAuthTag()]);
  return [version, keyring.currentId, nonce.toString("base64url"), body.toString("base64url")].join(".");
}

/**
 * Opens a value of {@link seal}. A reference is read when the secret is revealed.
 * @throws GatewayError `internal` when the value was altered, moved, or sealed under a key that is not in the keyring.
 */
export function unseal(keyring: Keyring, sealed: string, boundTo: string): Secret {
  if (isReferenceText(sealed) && keyring.references !== undefined) return keyring.references.open(sealed);
  const [sealedVersion, keyId, nonce, body] = sealed.split(".");
  if (sealedVersion !== version || keyId === undefined || nonce === undefined || body === undefined) {
    throw internalError(new Error("A sealed value has an unknown form."));
  }
  const bytes = Buffer.from(body, "base64url");
  const key = requireKey(keyring, keyId);
  try {
    // A fixed length, so that a value with a truncated tag is not checked against fewer bits.
    const options = { authTagLength: tagByteLength };
    const decipher = createDecipheriv("aes-256-gcm", key, Buffer.from(nonce, "base64url"), options);
    decipher.setAAD(Buffer.from(boundTo));
    decipher.setAuthTag(bytes.subarray(-tagByteLength));
    const plaintext = Buffer.concat([decipher.update(bytes.subarray(0, -tagByteLength)), decipher.final()]);
    return new Secret(plaintext.toString("utf8"));
  } catch (cause) {
    throw internalError(cause);
  }
}

/** Whether a value is sealed under an older key, so that resealing it retires that key. */
export function isSealedUnderOldKey(keyring: Keyring, sealed: string): boolean {
  return !isReferenceText(sealed) && sealed.split(".", 2)[1] !== keyring.currentId;
}

function requireKey(keyring: Keyring, id: string): Buffer {
  const key = keyring.keys.get(id);
  if (key !== undefined) return key;
  throw internalError(new Error(`The keyring lacks the key "${id}".`));
}
