import { isUtf8 } from "node:buffer";
import { charClasses, SPACE, WORD } from "./char-class.ts";

const probeLength = 32;
const utf8 = new TextDecoder();

/**
 * Decodes a run of base64 (standard or URL alphabet), base32 or hex characters, when that is readable text; else undefined.
 * Words, identifiers and hashes give bytes that are not text, which the first few bytes already show.
 */
export function decodeBytes(run: string): string | undefined {
  if (/^[0-9]+$/.test(run)) return undefined;
  if (run.length % 2 === 0 && /^[0-9a-f]+$/i.test(run)) {
    const text = toText(Buffer.from(run, "hex"));
    if (text !== undefined) return text;
  }
  if (base32Pattern.test(run)) {
    const text = toText(base32Bytes(run));
    if (text !== undefined) return text;
  }
  if (run.length % 4 === 1) return undefined;
  // Long words and dashed phrases are caught here; decoding stops at the first bytes.
  const probe = Buffer.from(run.slice(0, probeLength), "base64");
  if (!isReadablePrefix(probe)) return undefined;
  return toText(run.length <= probeLength ? probe : Buffer.from(run, "base64"));
}

/** Shorter runs of capitals are words. */
const base32Pattern = /^[A-Z2-7]{16,}$/;
const base32Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Bytes of base32 (RFC 4648, section 6), without padding. */
function base32Bytes(run: string): Buffer {
  const bytes = Buffer.alloc(Math.floor((run.length * 5) / 8));
  let [bits, held, count] = [0, 0, 0];
  for (const char of run) {
    bits = ((bits << 5) | base32Alphabet.indexOf(char)) & 0xfff;
    held += 5;
    if (held < 8) continue;
    held -= 8;
    bytes[count] = (bits >> held) & 0xff;
    count += 1;
  }
  return bytes.subarray(0, count);
}

function isReadablePrefix(bytes: Buffer): boolean {
  for (const byte of bytes) {
    if (byte < 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return false;
    if (byte === 0x7f || byte === 0xc0 || byte === 0xc1 || byte > 0xf4) return false;
  }
  return true;
}

function toText(bytes: Buffer): string | undefined {
  if (bytes.length < 6 || !isReadablePrefix(bytes.subarray(0, probeLength)) || !isUtf8(bytes)) return undefined;
  const text = utf8.decode(bytes);
  return isReadable(text) ? text : undefined;
}

/** Mostly letters, digits and spaces, and hardly a sign that prose does not use. */
function isReadable(text: string): boolean {
  const classes = charClasses();
  let words = 0;
  let others = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const flags = classes[code] ?? 0;
    if ((flags & (WORD | SPACE)) !== 0 || code === 0x2b || code === 0x2f || code === 0x3d) words += 1;
    else if (code >= 0x80 || code < 0x20) others += 1;
  }
  return words >= text.length * 0.7 && others <= text.length * 0.05;
}
