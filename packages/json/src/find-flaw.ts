import { rounded } from "./number-text.ts";
import { type StructureObserver, StructureReader } from "./structure-reader.ts";

/** A place of a JSON text that parsing changes silently. */
export interface JsonFlaw {
  /** Path from the outermost value inwards: member names and item indexes. */
  readonly path: readonly string[];
  /** The number as written and as parsed, where parsing rounds it; absent for a repeated member. */
  readonly rounded?: { readonly from: string; readonly to: string };
}

/**
 * First place that JSON.parse would change: it keeps the last of two equal members, and rounds a number that a double cannot
 * hold.
 * @param text valid JSON; for other texts the result is meaningless
 */
export function findFlaw(text: string): JsonFlaw | undefined {
  const finder = new FlawFinder(text);
  new StructureReader(text, Number.POSITIVE_INFINITY, finder).read(text.length);
  return finder.end();
}

interface Level {
  /** Keys of the members so far; absent for an array. */
  readonly keys?: Set<string>;
  step: string;
  items: number;
}

class FlawFinder implements StructureObserver {
  readonly #text: string;
  readonly #levels: Level[] = [];
  #flaw: JsonFlaw | undefined;
  /** Index after the latest mark, where a number may begin. */
  #from = 0;
  #lastString = "";

  constructor(text: string) {
    this.#text = text;
  }

  open(at: number, isObject: boolean): void {
    this.#levels.push(isObject ? { keys: new Set(), step: "", items: 0 } : { step: "0", items: 0 });
    this.#from = at + 1;
  }

  close(at: number): void {
    this.#checkNumber(at);
    this.#levels.pop();
    this.#from = at + 1;
  }

  comma(at: number): void {
    this.#checkNumber(at);
    const level = this.#levels.at(-1);
    if (level !== undefined && level.keys === undefined) {
      level.items += 1;
      level.step = String(level.items);
    }
    this.#from = at + 1;
  }

  colon(): void {
    const level = this.#levels.at(-1);
    if (level?.keys === undefined || this.#flaw !== undefined) return;
    // Unescaped: "\u0061" is "a".
    const key = JSON.parse(this.#lastString) as string;
    level.step = key;
    if (level.keys.has(key)) this.#record({});
    level.keys.add(key);
  }

  string(start: number, end: number): void {
    this.#lastString = this.#text.slice(start, end);
    this.#from = end;
  }

  end(): JsonFlaw | undefined {
    this.#checkNumber(this.#text.length);
    return this.#flaw;
  }

  #checkNumber(to: number): void {
    if (this.#flaw !== undefined) return;
    const from = this.#text.slice(this.#from, to).replace(":", "").trim();
    const kept = number.test(from) ? rounded(from) : undefined;
    if (kept !== undefined) this.#record({ rounded: { from, to: kept } });
  }

  #record(flaw: Omit<JsonFlaw, "path">): void {
    this.#flaw = { path: this.#levels.map(({ step }) => step), ...flaw };
  }
}

const number = /^-?\d/;
