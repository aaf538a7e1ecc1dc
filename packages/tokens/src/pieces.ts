/** Pieces of a text that are encoded separately (openai/tiktoken, `openai_public.py`, `o200k_base`). */
const pieces = new RegExp(
  [
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?`,
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD])?`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
    String.raw`\s*[\r\n]+`,
    String.raw`\s+(?!\S)`,
    String.raw`\s+`,
  ].join("|"),
  "uy",
);

/** Kinds of characters, as the pattern distinguishes them. */
const lower = 1;
const upper = 2;
const digit = 3;
const sign = 4;
const lineEnd = 5;
/** White space within a line. */
const blank = 6;
const beyondAscii = 7;

const kinds = Uint8Array.from({ length: 128 }, (_, code) => kindOfAscii(String.fromCharCode(code)));

const digitsMax = 3;
const space = 0x20;
const slash = 0x2f;
const apostrophe = 0x27;
/** Bit that turns an ASCII letter into lower case. */
const lowerBit = 0x20;

/**
 * End of the piece of a text that begins at `start`. The pattern decides wherever the piece, or the text after it, has a
 * character beyond ASCII; other text is scanned by hand, in a fraction of the time.
 */
export function endOfPiece(text: string, start: number): number {
  const end = endOfAsciiPiece(text, start);
  return end === -1 ? endByPattern(text, start) : end;
}

/** End of a piece by the pattern alone. */
export function endByPattern(text: string, start: number): number {
  pieces.lastIndex = start;
  return pieces.test(text) ? pieces.lastIndex : start + 1;
}

/** -1 where a character beyond ASCII could change the end. */
function endOfAsciiPiece(text: string, start: number): number {
  const first = kindAt(text, start);
  if (first === lower || first === upper) return endOfWord(text, start);
  if (first === beyondAscii) return -1;
  if (first === digit) return endOfDigits(text, start);
  const next = kindAt(text, start + 1);
  if (next === beyondAscii) return -1;
  if (first !== lineEnd && (next === lower || next === upper)) return endOfWord(text, start + 1);
  if (first === sign) return endOfSigns(text, start + 1);
  return text.charCodeAt(start) === space && next === sign ? endOfSigns(text, start + 2) : endOfBlanks(text, start);
}

/** Capitals, lower-case letters, and a short ending after an apostrophe. */
function endOfWord(text: string, start: number): number {
  let at = start;
  let kind = kindAt(text, at);
  while (kind === upper) kind = kindAt(text, (at += 1));
  while (kind === lower) kind = kindAt(text, (at += 1));
  if (kind === beyondAscii) return -1;
  return text.charCodeAt(at) === apostrophe ? at + endingLength(text, at + 1) : at;
}

/** Length of `'s`, `'t`, `'m`, `'d`, `'re`, `'ve` or `'ll` with its apostrophe; 0 where there is none. */
function endingLength(text: string, at: number): number {
  const one = letterAt(text, at);
  if (one === "s" || one === "t" || one === "m" || one === "d") return 2;
  const two = letterAt(text, at + 1);
  return (two === "e" && (one === "r" || one === "v")) || (one === "l" && two === "l") ? 3 : 0;
}

function letterAt(text: string, at: number): string {
  const kind = kindAt(text, at);
  return kind === lower || kind === upper ? String.fromCharCode(text.charCodeAt(at) | lowerBit) : "";
}

function endOfDigits(text: string, start: number): number {
  for (let at = start + 1; at < start + digitsMax; at += 1) {
    const kind = kindAt(text, at);
    if (kind === beyondAscii) return -1;
    if (kind !== digit) return at;
  }
  return start + digitsMax;
}

function endOfSigns(text: string, start: number): number {
  let at = start;
  let kind = kindAt(text, at);
  while (kind === sign) kind = kindAt(text, (at += 1));
  if (kind === beyondAscii) return -1;
  while (kind === lineEnd || text.charCodeAt(at) === slash) kind = kindAt(text, (at += 1));
  return at;
}

/** White space: up to its last line end, else all but the blank before the next text. */
function endOfBlanks(text: string, start: number): number {
  let at = start;
  let endOfLines = 0;
  let kind = kindAt(text, at);
  for (; kind === lineEnd || kind === blank; kind = kindAt(text, at)) {
    at += 1;
    if (kind === lineEnd) endOfLines = at;
  }
  if (kind === beyondAscii) return -1;
  if (endOfLines > 0) return endOfLines;
  return at === text.length ? at : Math.max(start + 1, at - 1);
}

/** 0 beyond the end. */
function kindAt(text: string, at: number): number {
  if (at >= text.length) return 0;
  const code = text.charCodeAt(at);
  return code < kinds.length ? (kinds[code] ?? 0) : beyondAscii;
}

function kindOfAscii(character: string): number {
  if (/[a-z]/.test(character)) return lower;
  if (/[A-Z]/.test(character)) return upper;
  if (/\d/.test(character)) return digit;
  if (/[\r\n]/.test(character)) return lineEnd;
  return /\s/.test(character) ? blank : sign;
}
