import type { StructureObserver } from "./structure-reader.ts";

/** Whole elements of one array or object; `to` is the index of the comma or bracket after them. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly large?: undefined;
}

/** One large element: between `from` and its value are white space and, in an object, its key. */
interface LargeElement {
  readonly from: number;
  readonly large: LargeValue;
}

/** Value longer than a piece, from `start` to before `end` in UTF-16 units, with the parts to parse one by one. */
export interface LargeValue {
  readonly kind: "array" | "object" | "string";
  readonly start: number;
  readonly end: number;
  /** Empty for a string. */
  readonly parts: readonly (Run | LargeElement)[];
}

/** An open array or object; a single object per level, since a text may have hundreds of thousands. */
interface Frame {
  isObject: boolean;
  start: number;
  parts: (Run | LargeElement)[] | undefined;
  /** First element that is in no part yet. */
  runStart: number;
  elementStart: number;
  /** End of a large value that a comma or the end must follow. */
  largeEnd: number;
}

const onlySpace = /^[ \t\n\r]*$/;

/**
 * Splits a JSON text into pieces for separate parsing: runs of whole elements of about a piece's length, in arrays and objects
 * that are longer. The parser checks the runs; the text between them is checked here.
 */
export class PiecePlan implements StructureObserver {
  readonly #text: string;
  readonly #pieceLength: number;
  readonly #frames: Frame[] = [];
  #depth = 0;
  #largeString: LargeValue | undefined;
  #rootEnd = -1;
  /** Undefined where the whole text is one piece. */
  root: LargeValue | undefined;
  /** First index at which the text is known not to be JSON; -1 where there is none. */
  brokenAt = -1;

  constructor(text: string, pieceLength: number) {
    this.#text = text;
    this.#pieceLength = pieceLength;
  }

  open(at: number, isObject: boolean): void {
    this.#attachString();
    const first = at + 1;
    const frame = this.#frames[this.#depth];
    if (frame === undefined) {
      this.#frames.push({
        isObject,
        start: at,
        parts: undefined,
        runStart: first,
        elementStart: first,
        largeEnd: -1,
      });
    } else {
      frame.isObject = isObject;
      frame.start = at;
      frame.parts = undefined;
      frame.runStart = first;
      frame.elementStart = first;
      frame.largeEnd = -1;
    }
    this.#depth += 1;
  }

  get #innermost(): Frame | undefined {
    return this.#depth === 0 ? undefined : this.#frames[this.#depth - 1];
  }

  close(at: number, isObject: boolean): void {
    this.#attachString();
    const frame = this.#innermost;
    this.#depth = Math.max(0, this.#depth - 1);
    if (frame === undefined || frame.isObject !== isObject) {
      this.#break(at);
      return;
    }
    const { start } = frame;
    const end = at + 1;
    if (end - start <= this.#pieceLength) return;
    this.#endRun(frame, at);
    this.#attach({ kind: isObject ? "object" : "array", start, end, parts: frame.parts ?? [] });
  }

  comma(at: number): void {
    this.#attachString();
    const frame = this.#innermost;
    if (frame === undefined) {
      this.#break(at);
      return;
    }
    if (frame.largeEnd >= 0 || at - frame.runStart >= this.#pieceLength) this.#endRun(frame, at);
    frame.elementStart = at + 1;
  }

  /** The string before a colon is a key, which stays in its run whatever its length. */
  colon(): void {
    this.#largeString = undefined;
  }

  string(start: number, end: number): void {
    this.#attachString();
    if (end > this.#text.length) this.#break(start);
    else if (end - start > this.#pieceLength) this.#largeString = { kind: "string", start, end, parts: [] };
  }

  end(): void {
    this.#attachString();
    const [outermost] = this.#frames;
    if (outermost !== undefined && this.#depth > 0) this.#break(outermost.start);
    else if (this.root !== undefined) this.#checkSpace(this.#rootEnd, this.#text.length);
  }

  #attachString(): void {
    const value = this.#largeString;
    this.#largeString = undefined;
    if (value !== undefined) this.#attach(value);
  }

  #attach(large: LargeValue): void {
    const frame = this.#innermost;
    if (frame === undefined) {
      this.#checkSpace(Math.max(0, this.#rootEnd), large.start);
      if (this.root !== undefined) this.#break(large.start);
      this.root = large;
      this.#rootEnd = large.end;
      return;
    }
    const { elementStart, runStart } = frame;
    if (frame.largeEnd >= 0) this.#break(large.start);
    frame.parts ??= [];
    if (elementStart > runStart) frame.parts.push({ from: runStart, to: elementStart - 1 });
    frame.parts.push({ from: elementStart, large });
    frame.largeEnd = large.end;
  }

  #endRun(frame: Frame, at: number): void {
    if (frame.largeEnd >= 0) this.#checkSpace(frame.largeEnd, at);
    else (frame.parts ??= []).push({ from: frame.runStart, to: at });
    frame.largeEnd = -1;
    frame.runStart = at + 1;
  }

  #checkSpace(from: number, to: number): void {
    if (!onlySpace.test(this.#text.slice(from, to))) this.#break(from);
  }

  #break(at: number): void {
    if (this.brokenAt < 0) this.brokenAt = at;
  }
}
