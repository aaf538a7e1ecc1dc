import type { ScratchBuffers } from "./scratch-buffers.ts";

/**
 * A text as a detector reads it, with the way back to the text as it was sent.
 * Unit `i` stands for the source units `[startOf(i), endOf(i))`; without maps the reading is as long as its source.
 */
export interface Reading {
  /** UTF-16 code units; only the first `length` count. */
  readonly codes: Uint16Array;
  readonly length: number;
  /** Source offsets of each unit, or undefined when unit `i` is source unit `i`. */
  readonly starts: Int32Array | undefined;
  readonly ends: Int32Array | undefined;
  /** The units as a string, where there is one already. */
  readonly text?: string;
}

/** Half-open range of UTF-16 offsets. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const shortTextLength = 48;
/** From this many units on, copying natively costs less than a loop. */
const nativeCopyMin = 128;
/** Units behind the end that are zero, so that a detector that looks ahead reads nothing of an earlier text. */
export const lookAheadMax = 64;

/** The units `[start, end)` of a reading as a string. */
export function readingText(reading: Reading, start = 0, end = reading.length): string {
  if (reading.text !== undefined) return reading.text.slice(start, end);
  if (end - start <= shortTextLength) return shortText(reading.codes, start, end);
  const { codes } = reading;
  // A buffer makes a string faster than a decoder does, but keeps halves of pairs, which a range may begin or end with.
  return Buffer.from(codes.buffer, codes.byteOffset + start * 2, (end - start) * 2)
    .toString("utf16le")
    .toWellFormed();
}

/** Making a buffer costs more than putting a few units together. */
function shortText(codes: Uint16Array, start: number, end: number): string {
  let text = "";
  for (let index = start; index < end; index += 1) text += String.fromCharCode(codes[index] ?? 0);
  return text;
}

/** Maps the half-open range `[start, end)` of a reading to offsets in the source text. Empty ranges map to empty spans. */
export function toSourceSpan(reading: Reading, start: number, end: number): Span {
  if (reading.starts === undefined || reading.ends === undefined) return { start, end };
  if (end <= start) return { start: reading.starts[start] ?? 0, end: reading.starts[start] ?? 0 };
  let first = reading.starts[start] ?? 0;
  let last = reading.ends[end - 1] ?? first;
  // Reversed and decoded pieces do not keep the order, so every unit counts.
  for (let index = start; index < end; index += 1) {
    first = Math.min(first, reading.starts[index] ?? first);
    last = Math.max(last, reading.ends[index] ?? last);
  }
  return { start: first, end: last };
}

/** The units `[start, end)` of a reading as a reading. */
export function sliceOf({ codes, starts, ends }: Reading, start: number, end: number): Reading {
  const length = end - start;
  return {
    codes: codes.slice(start, end),
    length,
    starts: starts?.subarray(start, end) ?? Int32Array.from({ length }, (_, index) => start + index),
    ends: ends?.subarray(start, end) ?? Int32Array.from({ length }, (_, index) => start + index + 1),
  };
}

/** A reading that is its own source. With a scratch, see there how long it lasts. */
export function plainReading(source: string, scratch?: ScratchBuffers): Reading & { readonly text: string } {
  const room = source.length + lookAheadMax;
  const codes = scratch?.unitsOf("source", room) ?? new Uint16Array(room);
  codes.fill(0, source.length, room);
  Buffer.from(codes.buffer, codes.byteOffset, source.length * 2).write(source, "utf16le");
  return { codes, length: source.length, starts: undefined, ends: undefined, text: source };
}

/** Strings of readings as a whole, which several detectors ask for. */
const texts = new WeakMap<Reading, string>();

/** The reading with its units as a string where one was made of it before. */
export function withKnownText(reading: Reading): Reading {
  return texts.has(reading) ? withText(reading) : reading;
}

/** The reading with its units as a string, of which detectors take many short pieces faster than of units. */
export function withText(reading: Reading): Reading & { readonly text: string } {
  const { codes, length, starts, ends } = reading;
  let text = reading.text ?? texts.get(reading);
  if (text === undefined) {
    text = readingText(reading);
    texts.set(reading, text);
  }
  return { codes, length, starts, ends, text };
}

/** Numbers that are kept; the offsets of a longer text are counted. */
const numbersMax = 1 << 20;
let numbers = new Int32Array(0);

/** Numbers from 0 up to one, or more: the offsets of a text read unit for unit. */
function numbersTo(last: number): Int32Array {
  if (numbers.length <= last) {
    numbers = new Int32Array(2 * (last + 1));
    // A loop takes a quarter of the time of a function for each number.
    for (let number = 0; number < numbers.length; number += 1) numbers[number] = number;
  }
  return numbers;
}

/** Collects a new reading unit by unit, keeping the offsets of the reading it was made from. Grows as needed. */
export class ReadingBuilder {
  codes: Uint16Array;
  starts: Int32Array;
  ends: Int32Array;
  length = 0;

  /** @param capacity units that are expected. With a scratch, see there how long the reading lasts. */
  constructor(capacity: number, scratch?: ScratchBuffers) {
    const room = capacity + lookAheadMax;
    const memory = scratch?.nextReading(room);
    this.codes = memory?.codes ?? new Uint16Array(room);
    this.starts = memory?.starts ?? new Int32Array(room);
    this.ends = memory?.ends ?? new Int32Array(room);
  }

  push(code: number, start: number, end: number): void {
    if (this.length === this.codes.length) this.grow();
    this.codes[this.length] = code;
    this.starts[this.length] = start;
    this.ends[this.length] = end;
    this.length += 1;
  }

  /** Appends one unit of another reading with its source offsets, as `code`. */
  copy(from: Reading, index: number, code: number): void {
    this.push(code, from.starts?.[index] ?? index, from.ends?.[index] ?? index + 1);
  }

  /** Appends the units `[start, end)` of another reading as they are. */
  copyRange(from: Reading, start: number, end: number): void {
    const count = end - start;
    if (count <= 0) return;
    while (this.length + count > this.codes.length) this.grow();
    const { length } = this;
    this.length += count;
    if (count >= nativeCopyMin && (from.starts !== undefined || end < numbersMax))
      this.copyNatively(from, { start, end }, length);
    else this.copyUnits(from, { start, end }, length);
  }

  private copyNatively({ codes, starts, ends }: Reading, { start, end }: Span, to: number): void {
    this.codes.set(codes.subarray(start, end), to);
    if (starts !== undefined && ends !== undefined) {
      this.starts.set(starts.subarray(start, end), to);
      this.ends.set(ends.subarray(start, end), to);
      return;
    }
    const numbers = numbersTo(end);
    this.starts.set(numbers.subarray(start, end), to);
    this.ends.set(numbers.subarray(start + 1, end + 1), to);
  }

  private copyUnits(from: Reading, { start, end }: Span, to: number): void {
    const { codes, starts, ends } = this;
    const { codes: fromCodes, starts: fromStarts, ends: fromEnds } = from;
    if (fromStarts === undefined || fromEnds === undefined) {
      for (let index = start, at = to; index < end; index += 1, at += 1) {
        codes[at] = fromCodes[index] ?? 0;
        starts[at] = index;
        ends[at] = index + 1;
      }
      return;
    }
    for (let index = start, at = to; index < end; index += 1, at += 1) {
      codes[at] = fromCodes[index] ?? 0;
      starts[at] = fromStarts[index] ?? 0;
      ends[at] = fromEnds[index] ?? 0;
    }
  }

  /** Appends `text`, every unit standing for the whole source span. */
  pushText(text: string, span: Span): void {
    for (let index = 0; index < text.length; index += 1) this.push(text.charCodeAt(index), span.start, span.end);
  }

  build(): Reading {
    this.codes.fill(0, this.length, this.length + lookAheadMax);
    return { codes: this.codes, length: this.length, starts: this.starts, ends: this.ends };
  }

  private grow(): void {
    const capacity = this.codes.length * 2;
    const codes = new Uint16Array(capacity);
    const starts = new Int32Array(capacity);
    const ends = new Int32Array(capacity);
    codes.set(this.codes);
    starts.set(this.starts);
    ends.set(this.ends);
    this.codes = codes;
    this.starts = starts;
    this.ends = ends;
  }
}
