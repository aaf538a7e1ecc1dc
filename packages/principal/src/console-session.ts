import { createHash, randomBytes } from "node:crypto";
import { Secret } from "@gatehouse/vault";

const idBytes = 32;
const idForm = /^[A-Za-z0-9_-]{43}$/;

/** Creates the id of a console session: 256 random bits. Only its SHA-256 (`hashToken`) is stored. */
export function mintSessionId(): Secret {
  return new Secret(randomBytes(idBytes).toString("base64url"));
}

/** Whether a cookie's value has the form of a session id; the session may not exist. */
export function isSessionId(text: string): boolean {
  return idForm.test(text);
}

/**
 * Token that proves a request of the console's own page: other sites can make a browser send the cookie, but cannot read this.
 * Derived from the session's hash, so that it need not be stored; the id cannot be derived from it.
 */
export function csrfTokenOf(sessionHash: Uint8Array): string {
  return createHash("sha256").update("gatehouse csrf token\n").update(sessionHash).digest("base64url");
}
