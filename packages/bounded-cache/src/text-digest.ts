import { createHash } from "node:crypto";

/** Shortest text with a digest, UTF-16 units: recognising a shorter one takes about as long as processing it. */
export const digestUnitsMin = 512;

/** V8 decides this at once for a text that it keeps in Latin-1. */
const beyondLatin1 = /[\u0100-\uffff]/;

/**
 * Digest that identifies a long text without storing it (SHA-256, base64url). Undefined for a short text. Hashes the units as they
 * are, since V8 writes a text beyond Latin-1 in UTF-8 unit by unit; so a lone surrogate differs from all other texts too.
 */
export function textDigest(text: string): string | undefined {
  if (text.length < digestUnitsMin) return undefined;
  const units = beyondLatin1.test(text) ? "utf16le" : "latin1";
  // The name of the units keeps two texts apart whose bytes are the same.
  return createHash("sha256").update(units).update(text, units).digest("base64url");
}
