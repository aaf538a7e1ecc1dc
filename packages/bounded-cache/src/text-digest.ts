import { hash } from "node:crypto";
import { encodeUtf8 } from "@gatehouse/utf8";

/** Shortest text with a digest, UTF-16 units: recognising a shorter one takes about as long as processing it. */
export const digestUnitsMin = 512;

/**
 * Digest that identifies a long text without storing it (SHA-256, base64url). Undefined for a short text, and for one with a lone
 * surrogate, whose bytes equal another text's.
 */
export function textDigest(text: string): string | undefined {
  if (text.length < digestUnitsMin) return undefined;
  const bytes = encodeUtf8(text);
  return bytes && hash("sha256", bytes, "base64url");
}
