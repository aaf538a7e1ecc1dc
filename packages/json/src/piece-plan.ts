import type { StructureObserver } from "./structure-reader.ts";

/** Whole elements of one array or object, from the first to behind the last; `to` is the place of the comma or bracket behind them. */
interface Run {
  readonly from: number;
  readonly to: number;
  readonly large?: undefined;
}

/** One element that is large: between `from` and its value stand white space and, in an object, its key. */
interface LargeElement {
  readonly from: number;
  readonly large: LargeValue;
}

/** A value that is longer than a piece. */
export interface LargeValue {
  readonly kind: "array" | "object" | "string";
  readonly start: number;
  readonly end: number;
  /** Empty of a string. */
  readonly parts: readonly (Run | LargeElement)[];
}

/** An array or object that is open; one object for each level, since a text may have hundreds of thousands of them. */
interface Frame {
  isObject: boolean;
  start: number;
  parts: (Run | LargeElement)[] | undefined;
  /** The first element that no part has. */
  runStart: number;
  elementStart: number;
  /** The end of a large value behind which a comma or the end is due. */
  largeEnd: number;
}

const onlySpace = /^[ \t\n\r]*$/;

/**
 * The pieces of a JSON text, which are parsed one by one: runs of whole elements of about the length of a piece, in the
 * arrays and objects that are longer. Whether a run is JSON is for the parser; whatever lies between runs is checked here.
 */
export class PiecePlan implements StructureObserver {
  readonly #text: string;
  readonly #pieceLength: number;
  readonly #frames: Frame[] = [];
  /** Number of open frames. */
  #depth = 0;
  #largeString: LargeValue | undefined;
  #rootEnd = -1;
  /** Undefined where the whole text is a piece. */
  root: LargeValue | undefined;
  /** The first place at which the text is known to be no JSON; -1 where there is none. */
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

  /** A string before a colon is a key, which its run holds however long it is. */
  colon(): void {
    this.#largeString = undefined;
  }

  string(start: number, end: number): void {
    this.#attachString();
    if (end > this.#text.length) this.#break(start);
    else if (end - start > this.#pieceLength) this.#largeString = { kind: "string", start, end, parts: [] };
  }

  /** The text has ended. */
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
