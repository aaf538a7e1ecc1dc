import { hash } from "node:crypto";

/** Shortest text with a digest, UTF-16 units: recognising a shorter one takes about as long as processing it. */
export const digestUnitsMin = 512;

/**
 * Digest that identifies a long text without storing it (SHA-256, base64url). Undefined for a short text, and for one with a lone
 * surrogate, whose bytes equal another text's.
 */
export function textDigest(text: string): string | undefined {
  if (text.length < digestUnitsMin || !text.isWellFormed()) return undefined;
  return hash("sha256", text, "base64url");
}
