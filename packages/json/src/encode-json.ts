import { runInSlices } from "@gatehouse/pace";
import { ByteWriter } from "./byte-writer.ts";
import { escaped, type WrittenStrings } from "./written-strings.ts";

/** Units of text written in one step: a fraction of a millisecond. */
const pieceLengthDefault = 16 * 1_024;
/** Largest weight left to JSON.stringify, which takes microseconds for it. */
const lightWeightMax = 256;
/** Units of a string that weigh as much as a value. */
const unitsPerWeight = 16;

interface Output {
  readonly add: (text: string) => void;
  /**
   * Adds a part of a long string, which lacks its escapes and ends inside no surrogate pair; `left` units of the string begin with
   * it.
   */
  readonly addInside: (part: string, left: number) => void;
  /** Adds a long string as it is written already; false where it is not. */
  readonly addWritten?: (text: string) => boolean;
  readonly pieceLength: number;
  /** Units since the last yield. */
  length: number;
}

/**
 * JSON.stringify of a plain JSON value (no `toJSON`): without a promise where the value is small, else in slices of the event
 * loop's time. Undefined members are left out.
 */
export function encodeJson(value: object): string | Promise<string> {
  return weightOf(value) <= lightWeightMax ? JSON.stringify(value) : runInSlices(encodeJsonInSteps(value));
}

/**
 * As {@link encodeJson}, for a body to be sent: a large value becomes UTF-8 piece by piece, rather than one text first.
 * @param written - long strings of the value that were written before
 */
export function encodeJsonBody(value: object, written?: WrittenStrings): string | Promise<Buffer> {
  if (weightOf(value) <= lightWeightMax) return JSON.stringify(value);
  return runInSlices(encodeJsonBytesInSteps(value, { written }));
}

/**
 * JSON.stringify of a plain JSON value (no `toJSON`), in linear time and steps of a fraction of a millisecond. Undefined members
 * are left out.
 */
export function* encodeJsonInSteps(value: unknown, pieceLength = pieceLengthDefault): Generator<void, string> {
  const pieces: string[] = [];
  const add = (text: string) => void pieces.push(text);
  yield* encode(value, { add, addInside: (part) => add(escaped(part)), pieceLength, length: 0 });
  return pieces.join("");
}

interface EncodeBytesOptions {
  readonly pieceLength?: number | undefined;
  readonly written?: WrittenStrings | undefined;
}

/** As {@link encodeJsonInSteps}, in UTF-8. */
export function* encodeJsonBytesInSteps(
  value: unknown,
  { pieceLength = pieceLengthDefault, written }: EncodeBytesOptions = {},
): Generator<void, Buffer> {
  const bytes = new ByteWriter();
  let text = "";
  const flush = () => {
    bytes.addText(text);
    text = "";
  };
  const add = (added: string) => {
    text += added;
    // No text ends inside a surrogate pair.
    if (text.length >= pieceLength) flush();
  };
  const addInside = (part: string, left: number) => {
    flush();
    bytes.reserve(left + left / escapeShare);
    bytes.addText(escaped(part));
  };
  const addWritten = (string: string) => {
    const parts = written?.partsOf(string);
    if (parts === undefined) return false;
    flush();
    bytes.reserve(string.length + string.length / escapeShare);
    for (const part of parts) {
      if (typeof part === "string") bytes.addText(part);
      else bytes.addBytes(part);
    }
    return true;
  };
  yield* encode(value, { add, addInside, addWritten, pieceLength, length: 0 });
  flush();
  return bytes.end();
}

/** Units of prose, of which one is escaped or takes several bytes; more only makes the memory grow later. */
const escapeShare = 8;

function* encode(value: unknown, output: Output): Generator<void, void> {
  if (typeof value === "string") yield* encodeString(value, output);
  else if (weightOf(value) <= lightWeightMax) write(JSON.stringify(value) ?? "null", output);
  else if (Array.isArray(value)) yield* encodeArray(value, output);
  else yield* encodeObject(value as object, output);
  if (output.length < output.pieceLength) return;
  output.length = 0;
  yield;
}

/** Writes light items together. */
function* encodeArray(items: readonly unknown[], output: Output): Generator<void, void> {
  let group: unknown[] = [];
  let weight = 0;
  let separator = "[";
  const groupWeightMax = output.pieceLength / unitsPerWeight;
  for (const item of items) {
    const itemWeight = weightOf(item);
    const isLight = itemWeight <= lightWeightMax;
    if (isLight) {
      group.push(item);
      weight += itemWeight;
      if (weight < groupWeightMax) continue;
    }
    if (group.length > 0) {
      write(separator, output);
      write(JSON.stringify(group).slice(1, -1), output);
      separator = ",";
      yield* rest(output);
    }
    group = [];
    weight = 0;
    if (isLight) continue;
    write(separator, output);
    separator = ",";
    yield* encode(item, output);
  }
  write(separator === "[" || group.length > 0 ? separator : "", output);
  write(JSON.stringify(group).slice(1), output);
}

function* encodeObject(object: object, output: Output): Generator<void, void> {
  let separator = "{";
  for (const [key, value] of Object.entries(object)) {
    if (value === undefined) continue;
    write(separator, output);
    separator = ",";
    yield* encodeString(key, output);
    write(":", output);
    yield* encode(value, output);
  }
  write(separator === "{" ? "{}" : "}", output);
}

function* encodeString(text: string, output: Output): Generator<void, void> {
  if (text.length <= output.pieceLength) {
    write(JSON.stringify(text), output);
    return;
  }
  if (output.addWritten?.(text) === true) return;
  write('"', output);
  for (let from = 0; from < text.length;) {
    const to = outsidePair(text, from + output.pieceLength);
    output.addInside(text.slice(from, to), text.length - from);
    from = to;
    output.length = 0;
    yield;
  }
  write('"', output);
}

/** The index `at`, or the next one where it would split a surrogate pair: lone halves are written as escapes. */
function outsidePair(text: string, at: number): number {
  const unit = text.charCodeAt(at - 1);
  return unit >= 0xd800 && unit < 0xdc00 ? at + 1 : at;
}

function write(text: string, output: Output): void {
  output.add(text);
  output.length += text.length;
}

function* rest(output: Output): Generator<void, void> {
  if (output.length < output.pieceLength) return;
  output.length = 0;
  yield;
}

/** Approximate cost of writing a value; stops counting beyond {@link lightWeightMax}. */
function weightOf(value: unknown, spent = 0): number {
  let weight = spent + 1;
  if (typeof value === "string") return weight + value.length / unitsPerWeight;
  if (typeof value !== "object" || value === null) return weight;
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) {
      weight = weightOf(item, weight);
      if (weight > lightWeightMax) return weight;
    }
    return weight;
  }
  for (const key in value) {
    weight = weightOf((value as Record<string, unknown>)[key], weight + 1 + key.length / unitsPerWeight);
    if (weight > lightWeightMax) return weight;
  }
  return weight;
}
