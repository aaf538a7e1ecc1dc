/**
 * Place in a JSON text that comes in pieces: what its open containers expect, from the outermost in, then its open string or scalar,
 * each as one of the marks below. Empty before a value.
 */
export type JsonPlace = string;

/** Place in a text that is no JSON, for the rest of it. */
export const notJson: JsonPlace = "x";

/** Marks of an object, by what it expects next; an end of it is possible after values and before names. */
const name = "{";
const colon = "n";
const value = ":";
const nextName = "}";
/** Marks of a list. */
const firstItem = "<";
const item = "[";
const nextItem = "]";
/** Marks of an open string, directly behind a backslash or not, and of an open scalar. */
export const inString: JsonPlace = '"';
const behindBackslash = "\\";
const inScalar = "-";

/** Expectations of a container after a value, by those before it. */
const afterValue: Readonly<Record<string, string>> = { [value]: nextName, [firstItem]: nextItem, [item]: nextItem };
/** Part of a token of JSON that a piece holds; of strings without their quotation marks. */
export interface JsonToken {
  /** `other`: the rest of a text that is no JSON. `end`: the end of a container, which is empty. */
  readonly kind: "name" | "text" | "scalar" | "other" | "end";
  readonly start: number;
  readonly end: number;
  /** Containers around it. */
  readonly depth: number;
  /** Whether its beginning is in the piece. */
  readonly isBegun: boolean;
  /** Whether its end is in the piece. */
  readonly isEnded: boolean;
}

/** Containers in one another; a deeper text is read as no JSON. */
const depthMax = 256;
/** By ASCII unit: 1 for characters of numbers and literals, of which nothing else is checked. */
const scalarUnits = Uint8Array.from({ length: 0x80 }, (_, code) => (/[-+.\w]/.test(String.fromCharCode(code)) ? 1 : 0));
const blanks = " \n\r\t";
const byteOrderMark = "\ufeff";

/** Whether a text continues inside a string. */
export function isInString(place: JsonPlace): boolean {
  return place.endsWith(inString) || place.endsWith(behindBackslash);
}

/**
 * Reads the next piece of a JSON text, or of several with blanks between them, and returns the place at its end. From the first
 * error on, a text is no JSON. Neither is one that does not begin as JSON (`beginsAsJson`). Linear.
 */
export function readJsonPiece(text: string, place: JsonPlace, see?: (token: JsonToken) => void): JsonPlace {
  return new PieceReader(text, place, see).read();
}

/** Index at which the next piece of a text stops being JSON, by the rule of {@link readJsonPiece}; its length where it does not. */
export function endOfJson(text: string, place: JsonPlace): number {
  const reader = new PieceReader(text, place);
  reader.read();
  return reader.jsonEnd;
}

class PieceReader {
  /** Where the text is no JSON any more. */
  jsonEnd: number;
  readonly #text: string;
  readonly #open: string[];
  readonly #see: ((token: JsonToken) => void) | undefined;
  #at = 0;

  constructor(text: string, place: JsonPlace, see?: (token: JsonToken) => void) {
    this.#text = text;
    this.#open = place.split("");
    this.#see = see;
    this.jsonEnd = text.length;
  }

  read(): JsonPlace {
    while (this.#at < this.#text.length) {
      const top = this.#open.at(-1);
      if (top === notJson) this.#readOther();
      else if (top === inString || top === behindBackslash) this.#readString(false);
      else if (top === inScalar) this.#readScalar(false);
      else this.#readSign(top);
    }
    return this.#open.join("");
  }

  /** Reads a sign outside strings, blanks, or a scalar. */
  #readSign(top: string | undefined): void {
    const sign = this.#text[this.#at] ?? "";
    if (blanks.includes(sign) || (top === undefined && sign === byteOrderMark)) this.#at += 1;
    else if (sign === '"') this.#beginString(top);
    else if (sign === "{") this.#begin(name);
    else if (sign === "[") this.#begin(firstItem);
    else if (top === undefined) this.#giveUp();
    else if (sign === ",") this.#expect(top === nextName ? name : top === nextItem ? item : undefined);
    else if (sign === ":") this.#expect(top === colon ? value : undefined);
    else if (sign === "}") this.#end(top === name || top === nextName);
    else if (sign === "]") this.#end(top === firstItem || top === nextItem);
    else this.#beginScalar();
  }

  /** Passes a sign, after which the innermost container expects `next`. */
  #expect(next: string | undefined): void {
    if (next === undefined) this.#giveUp();
    else {
      this.#open[this.#open.length - 1] = next;
      this.#at += 1;
    }
  }

  #begin(container: string): void {
    const isRoot = this.#open.length === 0;
    if (!isRoot && !(this.#open.length < depthMax && this.#beginValue(container === name))) this.#giveUp();
    else {
      this.#open.push(container);
      this.#at += 1;
    }
  }

  #beginString(top: string | undefined): void {
    if (top === name) this.#open[this.#open.length - 1] = colon;
    else if (!this.#beginValue(true)) {
      this.#giveUp();
      return;
    }
    this.#open.push(inString);
    this.#at += 1;
    this.#readString(true);
  }

  #beginScalar(): void {
    if (this.#scalarEnd() === this.#at || !this.#beginValue(false)) this.#giveUp();
    else {
      this.#open.push(inScalar);
      this.#readScalar(true);
    }
  }

  /** Whether the innermost container expects a value. @param mayBeFirst whether a list that is a whole text may begin with it */
  #beginValue(mayBeFirst: boolean): boolean {
    const top = this.#open.at(-1) ?? "";
    const next = afterValue[top];
    if (next === undefined || (top === firstItem && this.#open.length === 1 && !mayBeFirst)) return false;
    this.#open[this.#open.length - 1] = next;
    return true;
  }

  #end(isExpected: boolean): void {
    if (!isExpected) {
      this.#giveUp();
      return;
    }
    this.#report("end", this.#at, true, true);
    this.#open.pop();
    this.#at += 1;
  }

  #readScalar(isBegun: boolean): void {
    const end = this.#scalarEnd();
    const isEnded = end < this.#text.length;
    this.#open.pop();
    this.#report("scalar", end, isBegun, isEnded);
    if (!isEnded) this.#open.push(inScalar);
  }

  #scalarEnd(): number {
    const text = this.#text;
    let end = this.#at;
    while (end < text.length && scalarUnits[text.charCodeAt(end)] === 1) end += 1;
    return end;
  }

  #readString(isBegun: boolean): void {
    const text = this.#text;
    let end = this.#open.pop() === behindBackslash ? this.#at + 1 : this.#at;
    while (end < text.length && text[end] !== '"') end += text[end] === "\\" ? 2 : 1;
    const isEnded = end < text.length;
    const kind = this.#open.at(-1) === colon ? "name" : "text";
    this.#report(kind, Math.min(end, text.length), isBegun, isEnded);
    if (isEnded) this.#at += 1;
    else this.#open.push(end > text.length ? behindBackslash : inString);
  }

  #giveUp(): void {
    this.#open.splice(0, Number.POSITIVE_INFINITY, notJson);
  }

  #readOther(): void {
    this.jsonEnd = this.#at;
    this.#report("other", this.#text.length, true, true);
  }

  /** Reports the token up to `end`, and goes there. */
  // oxlint-disable-next-line max-params -- An object for each token would cost as much as the rest.
  #report(kind: JsonToken["kind"], end: number, isBegun: boolean, isEnded: boolean): void {
    this.#see?.({ kind, start: this.#at, end, depth: this.#open.length, isBegun, isEnded });
    this.#at = end;
  }
}
