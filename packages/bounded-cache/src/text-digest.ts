import { hash } from "node:crypto";

/** UTF-16 units of the shortest text that has a digest: to recognize a shorter one takes about as long as working on it. */
export const digestUnitsMin = 512;

/**
 * A digest by which a long text is recognized without keeping it (SHA-256, base64url). Undefined for a short text, and for one with half
 * of a surrogate pair, whose bytes are those of another text.
 */
export function textDigest(text: string): string | undefined {
  if (text.length < digestUnitsMin || !text.isWellFormed()) return undefined;
  return hash("sha256", text, "base64url");
}
