import { createHash, randomBytes } from "node:crypto";
import { Secret } from "@gatehouse/vault";

const idBytes = 32;
const idForm = /^[A-Za-z0-9_-]{43}$/;

/** A new id of a console session: 256 random bits. Only its SHA-256 (`hashToken`) is stored. */
export function mintSessionId(): Secret {
  return new Secret(randomBytes(idBytes).toString("base64url"));
}

/** Whether a cookie's value has the form of a session id; says nothing about whether there is one. */
export function isSessionId(text: string): boolean {
  return idForm.test(text);
}

/**
 * The token that shows that a request comes from the console's own page: other sites can have a browser send the cookie, and
 * cannot read this. It follows from the session's hash, so that nothing more has to be stored, and does not lead back to the id.
 */
export function csrfTokenOf(sessionHash: Uint8Array): string {
  return createHash("sha256").update("gatehouse csrf token\n").update(sessionHash).digest("base64url");
}
