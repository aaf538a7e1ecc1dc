import { transcode } from "node:buffer";

/**
 * A long text in UTF-8; undefined for one with a lone surrogate, which has none. V8 writes a text beyond Latin-1 unit by unit;
 * its units as they are, converted many at once, take a quarter of that time.
 */
export function encodeUtf8(text: string): Buffer | undefined {
  try {
    return transcode(Buffer.from(text, "utf16le"), "utf16le", "utf8");
  } catch (err) {
    if (text.isWellFormed()) throw err;
    return undefined;
  }
}
