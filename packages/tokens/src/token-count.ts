/** Number of tokens of a text, without a bound on its time: texts are at most `windowCharsMax` characters. */
export type Encoder = (text: string) => number;

/** Bounds that make {@link countTexts} linear in the length of the texts. */
export const tokenCountBounds = {
  /** Longest piece for the BPE, characters, whose time is quadratic in it. */
  pieceCharsMax: 200,
  /** Characters encoded in one go, between checks of the bounds. */
  windowCharsMax: 4_096,
} as const;

/** Characters at the end of a window that are searched for a place where cutting changes no token. */
const windowSearchChars = 256;

/**
 * Tokens of each text, in linear time: a run of letters, of other signs or of white space that is longer than a piece may be is
 * cut, which increases its count slightly.
 * @param tokensMax total above which no exact count is needed; the rest is assumed to be as dense as what was counted
 * @param isLate whether time is up; the rest then counts one token per byte, which no tokenizer exceeds
 */
export function countTexts(
  texts: readonly string[],
  encode: Encoder,
  tokensMax: number = Infinity,
  isLate: () => boolean = () => false,
): readonly number[] {
  let tokens = 0;
  let chars = 0;
  let estimate: ((rest: string) => number) | undefined;
  return texts.map((text) => {
    const before = tokens;
    for (let start = 0; start < text.length;) {
      if (isLate()) estimate ??= tokensAtMost;
      if (estimate !== undefined) {
        tokens += estimate(text.slice(start));
        break;
      }
      const end = endOfWindow(text, start);
      tokens += countWindow(text.slice(start, end), encode);
      chars += end - start;
      start = end;
      if (tokens > tokensMax) {
        const density = tokens / chars;
        estimate = (rest) => Math.ceil(rest.length * density);
      }
    }
    return tokens - before;
  });
}

/** Upper bound: no tokenizer makes more tokens of a text than it has bytes. */
export function tokensAtMost(text: string): number {
  return Buffer.byteLength(text);
}

/**
 * Ends a window before a single space between two words, where the tokenizer begins a piece; where there is none near, anywhere
 * but inside a surrogate pair.
 */
function endOfWindow(text: string, start: number): number {
  const end = start + tokenCountBounds.windowCharsMax;
  if (end >= text.length) return text.length;
  for (let at = end; at > end - windowSearchChars; at -= 1) {
    if (text.charCodeAt(at) === space && isVisibleAscii(text, at - 1) && isVisibleAscii(text, at + 1)) return at;
  }
  return cutAt(text, end);
}

/** Runs that the tokenizer makes one piece of, whatever their length. Digits form pieces of three. */
const runs = /[\p{L}\p{M}]+|[^\s\p{L}\p{N}]+[\r\n/]*|\s+/gu;

function countWindow(window: string, encode: Encoder): number {
  if (!mayHaveLongRun(window)) return encode(window);
  const { pieceCharsMax } = tokenCountBounds;
  let tokens = 0;
  let from = 0;
  for (const { 0: run, index } of window.matchAll(runs)) {
    for (let end = index + pieceCharsMax; end < index + run.length; end += pieceCharsMax) {
      const cut = cutAt(window, end);
      tokens += encode(window.slice(from, cut));
      from = cut;
    }
  }
  return tokens + encode(window.slice(from));
}

/** Whether a run may be too long for one piece. Characters beyond ASCII, line ends and slashes count for both kinds of runs. */
function mayHaveLongRun(window: string): boolean {
  let visible = 0;
  let blank = 0;
  for (let at = 0; at < window.length; at += 1) {
    const code = window.charCodeAt(at);
    const isEither = code >= firstBeyondAscii || code === slash || code === lineFeed || code === carriageReturn;
    visible = isEither || code > space ? visible + 1 : 0;
    blank = isEither || code <= space ? blank + 1 : 0;
    if (visible > tokenCountBounds.pieceCharsMax || blank > tokenCountBounds.pieceCharsMax) return true;
  }
  return false;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const slash = 0x2f;
const firstBeyondAscii = 0x80;

function isVisibleAscii(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code > space && code < firstBeyondAscii - 1;
}

/** The index, or the one before it where it would split a surrogate pair. */
function cutAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0xdc_00 && code <= 0xdf_ff ? at - 1 : at;
}
