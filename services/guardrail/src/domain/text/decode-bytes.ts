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

const base64Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** By ASCII character: its six bits in base64, in either alphabet. */
const sixBits = new Uint8Array(0x80);
for (const [bits, char] of Array.from(base64Alphabet).entries()) sixBits[char.charCodeAt(0)] = bits;
sixBits[0x2d] = sixBits[0x2b] ?? 0;
sixBits[0x5f] = sixBits[0x2f] ?? 0;

/**
 * Whether it is certain that {@link decodeBytes} finds no text in the run `[start, end)`: it is neither hex nor base32, and its first
 * bytes in base64 are none of a text. Settles nearly all names in code without a string of them.
 */
export function isSurelyNoText(codes: Uint16Array, start: number, end: number): boolean {
  if (!isBase64Only(codes, start, end)) return false;
  const probed = Math.min(end, start + probeLength);
  for (let at = start; at + 4 <= probed; at += 4) {
    const [one, two] = [sixBits[codes[at] ?? 0] ?? 0, sixBits[codes[at + 1] ?? 0] ?? 0];
    const [three, four] = [sixBits[codes[at + 2] ?? 0] ?? 0, sixBits[codes[at + 3] ?? 0] ?? 0];
    const bytes = (one << 18) | (two << 12) | (three << 6) | four;
    if (!isReadableByte(bytes >> 16) || !isReadableByte((bytes >> 8) & 0xff) || !isReadableByte(bytes & 0xff))
      return true;
  }
  return false;
}

/** Whether a run has a character that hex lacks, and one that base32 lacks. */
function isBase64Only(codes: Uint16Array, start: number, end: number): boolean {
  let seen = 0;
  for (let index = start; index < end && seen !== (NOT_HEX | NOT_BASE32); index += 1)
    seen |= lacks[codes[index] ?? 0] ?? 0;
  return seen === (NOT_HEX | NOT_BASE32);
}

const NOT_HEX = 1;
const NOT_BASE32 = 2;
/** By ASCII character: the alphabets that lack it. */
const lacks = Uint8Array.from({ length: 0x80 }, (_, code) => {
  const char = String.fromCharCode(code);
  return (/[0-9a-f]/iu.test(char) ? 0 : NOT_HEX) | (/[A-Z2-7]/u.test(char) ? 0 : NOT_BASE32);
});

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
  for (let index = 0; index < bytes.length; index += 1) if (!isReadableByte(bytes[index] ?? 0)) return false;
  return true;
}

/** Whether a byte may stand in UTF-8, and is no control character. */
function isReadableByte(byte: number): boolean {
  if (byte < 0x20) return byte === 0x0a || byte === 0x0d || byte === 0x09;
  return byte !== 0x7f && byte !== 0xc0 && byte !== 0xc1 && byte <= 0xf4;
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
