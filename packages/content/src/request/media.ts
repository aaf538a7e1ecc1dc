import { isUtf8 } from "node:buffer";
import type { MediaKind } from "./shape.ts";

/** One image, sound, video or file of a request. */
export interface MediaPart {
  readonly kind: MediaKind;
  /** Decoded size of the payload; 0 for an address. */
  readonly sizeBytes: number;
  /** Detail requested for an image. */
  readonly detail: string | undefined;
}

type MediaReading =
  /** Bytes that no model reads as text. */
  | { readonly kind: "payload"; readonly sizeBytes: number }
  /** Bytes that are text: judged decoded, and encoded again as UTF-8 if changed. */
  | { readonly kind: "text_file"; readonly header: string; readonly text: string }
  /** Bytes that only some decoders read as text: judged both as written and decoded. */
  | { readonly kind: "unclear"; readonly text: string; readonly write: (text: string) => string }
  /** An address, or anything else: judged as written. */
  | { readonly kind: "text" };

/** Types of payloads in data URLs. Others are judged as text, since the type's name itself could contain some. */
const mediaTypes: ReadonlySet<string> = new Set([
  ...["png", "jpeg", "jpg", "gif", "webp", "bmp", "tiff", "heic", "heif", "avif"].map((name) => `image/${name}`),
  ...["wav", "x-wav", "wave", "mpeg", "mp3", "mp4", "ogg", "flac", "aac", "webm", "opus"].map(
    (name) => `audio/${name}`,
  ),
  ...["mp4", "mpeg", "webm", "quicktime", "3gpp", "x-msvideo"].map((name) => `video/${name}`),
  ...["pdf", "octet-stream", "json", "xml", "zip", "msword", "vnd.ms-excel", "vnd.ms-powerpoint"].map(
    (name) => `application/${name}`,
  ),
  ...["wordprocessingml.document", "spreadsheetml.sheet", "presentationml.presentation"].map(
    (name) => `application/vnd.openxmlformats-officedocument.${name}`,
  ),
  ...["plain", "csv", "markdown", "html", "xml"].map((name) => `text/${name}`),
]);

const headerPattern = /^data:([a-z0-9.+/-]+)(?:;charset=utf-8)?;base64$/;
const headerLengthMax = 128;
const notBase64 = /[^A-Za-z0-9+/=_-]/;

/** Reads a string at a place for media of one kind. Linear. */
export function readMedia(text: string, kind: MediaKind): MediaReading {
  const split = splitPayload(text, kind);
  if (split === undefined || notBase64.test(split.payload)) return readUnclear(text, kind);
  const sizeBytes = Math.floor((split.payload.length * 3) / 4);
  const isDeclaredText = declaredText.test(split.header);
  const found = textOf(Buffer.from(split.payload, "base64"), { kind, isDeclaredText });
  if (found === undefined) return { kind: "payload", sizeBytes };
  return { kind: "text_file", header: split.header, text: found };
}

/**
 * Reads what a lenient decoder accepts: white space and other signs in base64, unlisted types and parameters, a scheme in
 * capitals, percent signs. Its result is judged in addition to the text as written.
 */
function readUnclear(text: string, kind: MediaKind): MediaReading {
  const payload = splitForgivingly(text, kind);
  if (payload === undefined) return { kind: "text" };
  const { header, rest, isBase64 } = payload;
  const written = percentDecoded(rest);
  const bytes = isBase64 ? Buffer.from(signsOfBase64(written), "base64") : written;
  const found = textOf(bytes, { kind, isDeclaredText: declaredText.test(header.trim().toLowerCase()) });
  if (found === undefined || found === text) return { kind: "text" };
  // Bytes read as UTF-16 may contain half of a pair, which URI encoding refuses.
  const write = (masked: string) =>
    inUtf8(header) +
    (isBase64 ? Buffer.from(masked, "utf8").toString("base64") : encodeURIComponent(masked.toWellFormed()));
  return { kind: "unclear", text: found, write };
}

const charsetParameter = /;\s*charset\s*=[^;,]*/i;

/** The header, for bytes written as UTF-8. */
function inUtf8(header: string): string {
  return header.replace(charsetParameter, ";charset=utf-8");
}

const dataScheme = /^\s*data:/i;
const base64Parameter = /;\s*base64\s*(?:;|,|$)/i;

interface ForgivenSplit {
  /** Includes its comma. */
  readonly header: string;
  readonly rest: string;
  readonly isBase64: boolean;
}

function splitForgivingly(text: string, kind: MediaKind): ForgivenSplit | undefined {
  if (!dataScheme.test(text)) {
    return kind === "audio" || kind === "file" ? { header: "", rest: text, isBase64: true } : undefined;
  }
  const end = text.indexOf(",") + 1;
  const header = text.slice(0, end);
  return { header, rest: text.slice(end), isBase64: base64Parameter.test(header) };
}

const percent = 0x25;

/** Bytes of a text with percent escapes decoded. Linear. */
function percentDecoded(text: string): Buffer {
  const bytes = Buffer.from(text, "utf8");
  if (!bytes.includes(percent)) return bytes;
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    const escaped = byte === percent ? hexPair(bytes[at + 1], bytes[at + 2]) : -1;
    bytes[length] = escaped < 0 ? byte : escaped;
    if (escaped >= 0) at += 2;
    length += 1;
  }
  return bytes.subarray(0, length);
}

function hexPair(high = 0, low = 0): number {
  return digitOf(high) < 0 || digitOf(low) < 0 ? -1 : digitOf(high) * 16 + digitOf(low);
}

function digitOf(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** Keeps only signs of base64, in place. Linear. */
function signsOfBase64(bytes: Buffer): string {
  let length = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    bytes[length] = byte;
    length += isSignOfBase64[byte] ?? 0;
  }
  return bytes.toString("latin1", 0, length);
}

const isSignOfBase64 = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[A-Za-z0-9+/_-]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

const declaredText = /^data:(?:text\/|application\/(?:json|xml)[;,])/;

/** The text in bytes, whatever their declared type: no format of images, sounds and videos is UTF-8 without NUL. */
function textOf(
  bytes: Buffer,
  { kind, isDeclaredText }: { readonly kind: MediaKind; readonly isDeclaredText: boolean },
): string | undefined {
  // Servers guess the encoding of a text file that is not plain UTF-8; all guesses are judged.
  if (isDeclaredText && bytes.includes(0))
    return `${fromUtf16(bytes)}\n${bytes.toString("latin1").replaceAll("\0", "")}`;
  if (isUtf8(bytes) && (kind === "file" || !bytes.includes(0))) return bytes.toString("utf8");
  return isDeclaredText ? bytes.toString("latin1") : undefined;
}

function fromUtf16(bytes: Buffer): string {
  return (startsBigEndian(bytes) ? swapped(bytes) : bytes).toString("utf16le");
}

function startsBigEndian(bytes: Buffer): boolean {
  return (bytes[0] === 0xfe && bytes[1] === 0xff) || (bytes[0] === 0 && bytes[1] !== 0);
}

function swapped(bytes: Buffer): Buffer {
  return Buffer.from(bytes.subarray(0, bytes.length - (bytes.length % 2))).swap16();
}

/** Data URL of a masked text file, as UTF-8 in base64; bare base64 where the header from {@link readMedia} is empty. */
export function writeTextFile(header: string, text: string): string {
  return `${header}${Buffer.from(text, "utf8").toString("base64")}`;
}

interface Split {
  /** Includes its comma; empty where there is none. */
  readonly header: string;
  readonly payload: string;
}

/** Sounds and files may be sent without a header; images and videos without one must be addresses. */
function splitPayload(text: string, kind: MediaKind): Split | undefined {
  if (!text.startsWith("data:")) {
    return kind === "audio" || kind === "file" ? { header: "", payload: text } : undefined;
  }
  const comma = text.slice(0, headerLengthMax).indexOf(",");
  const [, mediaType] = headerPattern.exec(text.slice(0, Math.max(comma, 0))) ?? [];
  if (mediaType === undefined || !mediaTypes.has(mediaType)) return undefined;
  return { header: text.slice(0, comma + 1), payload: text.slice(comma + 1) };
}
