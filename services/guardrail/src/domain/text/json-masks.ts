import { type JsonPlace, type JsonToken, notJson, readJsonPiece } from "@gatehouse/json";
import { type MaskSpan, maskText } from "./mask-text.ts";

/** Place in a text up to which masks have been fitted into its JSON. */
export interface JsonState {
  readonly place: JsonPlace;
  /** Names with a mask, or like one, in the objects that are open. */
  readonly names: JsonName[];
  /** Name that is open, as far as it has been written. */
  readonly name: string;
}

interface JsonName {
  /** Depth of its object. */
  readonly depth: number;
  readonly name: string;
}

/** The state before the first piece. */
export const jsonBeginning: JsonState = { place: "", names: [], name: "" };

/** Names of all open objects that are compared with later ones. */
const namesMax = 1_000;
/** UTF-16 units of a name that are compared. */
const nameLengthMax = 256;

/**
 * Spans that mask a text and leave it JSON where it is: in strings and scalars only, a scalar with a mask becoming a string, and a
 * name that an object has already becoming a numbered one. Of a span over several values, the first gets the label. A text that is
 * no JSON keeps its spans.
 */
export function fitMasks(text: string, spans: readonly MaskSpan[], number: NumberMask = asItIs): readonly MaskSpan[] {
  if (spans.length === 0) return spans;
  const fitting = new Fitting(text, spans, { ...jsonBeginning, number });
  fitting.read(jsonBeginning.place);
  return fitting.spans;
}

/** Returns the span with the label of the value that it masks, which is unescaped. */
export type NumberMask = (span: MaskSpan, value: string) => MaskSpan;

const asItIs: NumberMask = (span) => span;

/** The fitted spans of a text's next piece, and the state at its end. Linear. */
export function fitPiece(
  text: string,
  spans: readonly MaskSpan[],
  state: JsonState,
): { readonly spans: readonly MaskSpan[]; readonly state: JsonState } {
  if (state.place === notJson) return { spans, state };
  const fitting = new Fitting(text, spans, { ...state, number: asItIs });
  const place = fitting.read(state.place);
  return { spans: fitting.spans, state: { place, ...fitting.state } };
}

/** Spans of one piece, token by token. */
class Fitting {
  readonly spans: MaskSpan[] = [];
  readonly #text: string;
  readonly #given: readonly MaskSpan[];
  /** Span that may touch the next token. */
  #next = 0;
  /** Last span with its label written. */
  #labelled = -1;
  readonly #names: TakenNames;
  readonly #number: NumberMask;
  #name: string;

  constructor(
    text: string,
    given: readonly MaskSpan[],
    { names, name, number }: Omit<JsonState, "place"> & { readonly number: NumberMask },
  ) {
    this.#text = text;
    this.#number = number;
    this.#given = given;
    this.#names = new TakenNames(names);
    this.#name = name;
  }

  get state(): Omit<JsonState, "place"> {
    return { names: this.#names.list(), name: this.#name };
  }

  read(place: JsonPlace): JsonPlace {
    return readJsonPiece(this.#text, place, (token) => {
      this.#see(token);
    });
  }

  #see(token: JsonToken): void {
    if (token.kind === "end") {
      this.#names.drop(token.depth);
      return;
    }
    const parts = this.#partsIn(token);
    if (token.kind === "scalar" && token.isBegun && parts.length > 0) this.#quote(token, parts);
    // One at a time: a text may have more of them than a function takes arguments.
    else for (const part of parts) this.spans.push(part);
    if (token.kind === "name") this.#seeName(token, parts);
  }

  #partsIn(token: JsonToken): MaskSpan[] {
    const parts: MaskSpan[] = [];
    for (
      let span = this.#given[this.#next];
      span !== undefined && span.start < token.end;
      span = this.#given[this.#next]
    ) {
      const part = this.#partIn(token, span, parts.at(-1)?.end ?? token.start);
      if (part !== undefined) parts.push(part);
      if (span.end > token.end) break;
      this.#next += 1;
    }
    return parts;
  }

  #partIn(token: JsonToken, span: MaskSpan, from: number): MaskSpan | undefined {
    const isString = token.kind === "name" || token.kind === "text";
    const isCut = (at: number): boolean => isString && at < token.end && isBehindBackslash(this.#text, from, at);
    const start = Math.max(span.start, from);
    const end = Math.min(span.end, token.end);
    if (start >= end) return undefined;
    const within = { start: isCut(start) ? start - 1 : start, end: isCut(end) ? end + 1 : end };
    const isRest = this.#labelled === this.#next;
    this.#labelled = this.#next;
    if (isRest) return { ...within, label: "", isVerbatim: true };
    const raw = this.#text.slice(span.start, span.end);
    const value = isString && span.end <= token.end ? unescaped(this.#text.slice(within.start, within.end)) : raw;
    const numbered = this.#number(span, value);
    const label = token.kind === "other" ? numbered.label : JSON.stringify(numbered.label).slice(1, -1);
    return { ...numbered, ...within, label };
  }

  #quote({ start, end }: JsonToken, parts: readonly MaskSpan[]): void {
    const label = `"${written(this.#text, { start, end }, parts)}"`;
    this.spans.push({ start, end, label, isVerbatim: true });
  }

  #seeName(token: JsonToken, parts: readonly MaskSpan[]): void {
    const before = token.isBegun ? "" : this.#name;
    const name = (before + written(this.#text, token, parts)).slice(0, nameLengthMax);
    this.#name = token.isEnded ? "" : name;
    if (!token.isEnded || !name.includes("[")) return;
    const suffix = this.#names.take(token.depth, name);
    if (suffix !== "") this.spans.push({ start: token.end, end: token.end, label: suffix, isVerbatim: true });
  }
}

/** Names of the open objects, by depth. */
class TakenNames {
  /** With the number given out last for each. */
  readonly #byDepth = new Map<number, Map<string, number>>();
  #size = 0;

  constructor(names: readonly JsonName[]) {
    for (const { depth, name } of names) this.#add(depth, name);
  }

  /** Takes a name in the object at a depth, and returns what makes it differ from the object's others. */
  take(depth: number, name: string): string {
    const names = this.#byDepth.get(depth);
    let count = names?.get(name) ?? 1;
    let suffix = "";
    while (names?.has(name + suffix) === true) suffix = ` ${(count += 1)}`;
    if (suffix !== "") names?.set(name, count);
    this.#add(depth, name + suffix);
    return suffix;
  }

  #add(depth: number, name: string): void {
    if (this.#size >= namesMax) return;
    const names = this.#byDepth.get(depth) ?? new Map<string, number>();
    this.#byDepth.set(depth, names.set(name, 1));
    this.#size += 1;
  }

  /** Forgets the names of the object at a depth, which has ended. */
  drop(depth: number): void {
    this.#size -= this.#byDepth.get(depth)?.size ?? 0;
    this.#byDepth.delete(depth);
  }

  list(): JsonName[] {
    return [...this.#byDepth].flatMap(([depth, names]) => [...names.keys()].map((name) => ({ depth, name })));
  }
}

/** The content of a JSON string without its escapes; as it is where it is no such content. */
function unescaped(content: string): string {
  if (!content.includes("\\")) return content;
  try {
    return JSON.parse(`"${content}"`) as string;
  } catch (err) {
    if (err instanceof SyntaxError) return content;
    throw err;
  }
}

/** Whether a place in a string is behind the backslash of an escape; `from` is a place before that is not. */
function isBehindBackslash(text: string, from: number, at: number): boolean {
  let first = at;
  while (first > from && text[first - 1] === "\\") first -= 1;
  return (at - first) % 2 === 1;
}

/** The masked text of a token. */
function written(text: string, { start, end }: Pick<JsonToken, "start" | "end">, parts: readonly MaskSpan[]): string {
  const shifted = parts.map((part) => ({ ...part, start: part.start - start, end: part.end - start }));
  return maskText(text.slice(start, end), shifted);
}
