import { backslash, closeBrace, closeBracket, colon, comma, openBrace, openBracket, quote } from "./json-marks.ts";
/** Counts of a text's values, containers and members so far, checked against `JsonBounds` before a value is built. */
export interface Structure {
  values: number;
  containers: number;
  members: number;
  /** Members of the largest object. */
  objectMembers: number;
  depth: number;
  longestKey: number;
  isBalanced: boolean;
}

/** Receives the structural characters of a text, in order, by index. */
export interface StructureObserver {
  open(at: number, isObject: boolean): void;
  close(at: number, isObject: boolean): void;
  comma(at: number): void;
  colon(): void;
  /** From the opening quote to the index after the closing one. */
  string(start: number, end: number): void;
}

/**
 * Reads a text's structure in one pass and steps of the caller's choice, without building values. For a text that is not JSON the
 * counts are meaningless.
 */
export class StructureReader {
  readonly #text: string;
  readonly #depthMax: number;
  readonly #unitsIn: ((from: number, to: number) => number) | undefined;
  #observer: StructureObserver | undefined;
  // Each value but the outermost follows a comma or is the first of its array or object.
  readonly structure: Structure = {
    values: 1,
    containers: 0,
    members: 0,
    objectMembers: 0,
    depth: 0,
    longestKey: 0,
    isBalanced: true,
  };
  /** Members of the open objects so far, by depth. */
  readonly #membersAt: number[] = [];
  #at = 0;
  #depth = 0;
  /** Index after the closing quote of the latest string, and its length between the quotes. */
  #stringEnd = 0;
  #stringLength = 0;
  /** Opening quote of the unfinished string. */
  #openQuote = -1;

  /**
   * Members of single objects are counted down to `depthMax` levels only: a deeper text is refused for its depth.
   * @param unitsIn - UTF-16 units between two indexes, where the characters of `text` stand for bytes
   */
  constructor(
    text: string,
    depthMax: number,
    observer?: StructureObserver,
    unitsIn?: (from: number, to: number) => number,
  ) {
    this.#text = text;
    this.#depthMax = depthMax;
    this.#observer = observer;
    this.#unitsIn = unitsIn;
  }

  /** Continues without the observer, which holds data for every open level. */
  stopObserving(): void {
    this.#observer = undefined;
  }

  /** Reads about `stepLength` units further. @returns whether the text has ended. */
  read(stepLength: number): boolean {
    const limit = Math.min(this.#text.length, this.#at + stepLength);
    while (this.#at < limit) {
      if (this.#openQuote >= 0) this.#readString(limit);
      else this.#readMarks(limit);
    }
    if (this.#at < this.#text.length) return false;
    if (this.#openQuote >= 0) this.#endString(this.#openQuote, this.#text.length);
    this.#openQuote = -1;
    this.structure.isBalanced = this.#depth === 0;
    return true;
  }

  /** Reads up to the limit, or to the end of a long string. */
  #readMarks(limit: number): void {
    const text = this.#text;
    let at = this.#at;
    for (; at < limit; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit === quote) {
        const end = endOfShortString(text, at);
        if (end < 0) {
          this.#openQuote = at;
          this.#at = -end;
          return;
        }
        this.#endString(at, end);
        at = end;
      } else if (unit === comma) {
        this.structure.values += 1;
        this.#observer?.comma(at);
      } else if (unit === colon) this.#readColon();
      else if (unit === openBracket || unit === openBrace) this.#open(at, unit === openBrace);
      else if (unit === closeBracket || unit === closeBrace) {
        this.#depth -= 1;
        this.#observer?.close(at, unit === closeBrace);
      }
    }
    this.#at = at;
  }

  #readColon(): void {
    const { structure } = this;
    structure.members += 1;
    if (this.#depth <= this.#depthMax) {
      const members = (this.#membersAt[this.#depth] ?? 0) + 1;
      this.#membersAt[this.#depth] = members;
      if (members > structure.objectMembers) structure.objectMembers = members;
    }
    if (this.#stringLength > structure.longestKey) {
      structure.longestKey = Math.max(structure.longestKey, this.#keyLength());
    }
    this.#observer?.colon();
  }

  /** UTF-16 units of the latest string. */
  #keyLength(): number {
    const last = this.#stringEnd - 1;
    return this.#unitsIn?.(last - this.#stringLength, last) ?? this.#stringLength;
  }

  #open(at: number, isObject: boolean): void {
    const { structure } = this;
    structure.values += 1;
    structure.containers += 1;
    this.#depth += 1;
    if (this.#depth <= this.#depthMax) this.#membersAt[this.#depth] = 0;
    if (this.#depth > structure.depth) structure.depth = this.#depth;
    this.#observer?.open(at, isObject);
  }

  /** Searches the end of the open string up to the limit; the platform's search may go beyond it, and is fast. */
  #readString(limit: number): void {
    const text = this.#text;
    for (let at = text.indexOf('"', this.#at); at !== -1; at = text.indexOf('"', at + 1)) {
      if (!isEscaped(text, at)) {
        this.#endString(this.#openQuote, at);
        this.#openQuote = -1;
        this.#at = at + 1;
        return;
      }
      if (at >= limit) {
        this.#at = at + 1;
        return;
      }
    }
    this.#at = text.length;
  }

  #endString(start: number, end: number): void {
    this.#stringLength = end - start - 1;
    this.#stringEnd = end + 1;
    this.#observer?.string(start, end + 1);
  }
}

/** Units of a string that are scanned one by one, before the platform's search takes over. */
const shortStringLength = 24;

/** Index of the quote that closes the string opened at `start`; for a longer string the index to continue at, negated. */
function endOfShortString(text: string, start: number): number {
  const shortEnd = Math.min(text.length, start + 1 + shortStringLength);
  let at = start + 1;
  for (; at < shortEnd; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === quote) return at;
    if (unit === backslash) at += 1;
  }
  return -at;
}

/**
 * Whether the quote at `at`, inside a string, has an odd number of backslashes before it. Each run is counted once: it ends at
 * its quote.
 */
function isEscaped(text: string, at: number): boolean {
  let start = at;
  while (text.charCodeAt(start - 1) === backslash) start -= 1;
  return (at - start) % 2 === 1;
}
