import type { JsonBounds } from "./json-bounds.ts";
import { backslash, closeBrace, closeBracket, colon, comma, openBrace, openBracket, quote } from "./json-marks.ts";
import { type JsonKind, JsonPart, outlinedMax, type OutlineSpec } from "./json-part.ts";
import { holdsTooMany, JsonRefusal, nestedTooDeep } from "./json-refusal.ts";
import { endOfScalar } from "./json-scalar.ts";

const letterU = 0x75;

/** Bytes allowed after a backslash, apart from `u`. */
const escapes: ReadonlySet<number> = new Set(Array.from('"\\/bfnrt', (letter) => letter.charCodeAt(0)));

/** Next expected token: `first` is a value or `]`; `key` is a key, and `firstKey` a key or `}`; `after` is a comma or an end. */
type Expected = "value" | "first" | "key" | "firstKey" | "colon" | "after" | "end";

interface Frame {
  readonly isObject: boolean;
  readonly start: number;
  readonly spec: OutlineSpec | undefined;
  readonly members: Map<string, JsonPart> | undefined;
  readonly items: JsonPart[] | undefined;
  key: string;
  hasEqualKeys: boolean;
  /** Depth of its content so far. */
  depth: number;
}

/**
 * Checks that bytes are one JSON text (RFC 8259) and outlines it, in linear time and steps of the caller's choice. No value is
 * built, and nesting and number of values are bounded, so that forwarded texts need no parsing and no step is long.
 */
export class OutlineReader {
  readonly #bytes: Buffer;
  readonly #spec: OutlineSpec;
  readonly #bounds: JsonBounds;
  readonly #frames: Frame[] = [];
  #at = 0;
  #values = 0;
  #members = 0;
  #expected: Expected = "value";
  #stringStart = -1;
  #root: JsonPart | undefined;

  /** @param bytes valid UTF-8, which is not checked here. */
  constructor(bytes: Buffer, spec: OutlineSpec, bounds: JsonBounds) {
    this.#bytes = bytes;
    this.#spec = spec;
    this.#bounds = bounds;
  }

  /** Reads about `stepBytes` further. @returns the outline, once the text is complete. @throws JsonRefusal */
  read(stepBytes: number): JsonPart | undefined {
    const limit = Math.min(this.#bytes.length, this.#at + stepBytes);
    while (this.#at < limit) {
      if (this.#stringStart >= 0) this.#readString(limit);
      else this.#readToken();
    }
    if (limit < this.#bytes.length) return undefined;
    if (this.#root === undefined || this.#expected !== "end" || this.#stringStart >= 0) throw malformed(this.#at);
    return this.#root;
  }

  #readToken(): void {
    const byte = this.#bytes[this.#at] ?? 0;
    switch (byte) {
      case 0x20:
      case 0x09:
      case 0x0a:
      case 0x0d:
        this.#at += 1;
        return;
      case quote:
        if (this.#expected !== "key" && this.#expected !== "firstKey") this.#startValue();
        this.#stringStart = this.#at;
        this.#at += 1;
        return;
      case openBrace:
      case openBracket:
        this.#open(byte === openBrace);
        return;
      case closeBrace:
      case closeBracket:
        this.#close(byte === closeBrace);
        return;
      case comma:
        this.#separate();
        return;
      case colon:
        if (this.#expected !== "colon") throw malformed(this.#at);
        this.#expected = "value";
        this.#at += 1;
        return;
      default:
        this.#readScalar();
    }
  }

  #startValue(): void {
    if (this.#expected !== "value" && this.#expected !== "first") throw malformed(this.#at);
    this.#values += 1;
    if (this.#values <= this.#bounds.valuesMax) return;
    throw holdsTooMany(this.#bounds.valuesMax, "values");
  }

  #open(isObject: boolean): void {
    this.#startValue();
    const { depthMax } = this.#bounds;
    if (this.#frames.length >= depthMax) {
      throw nestedTooDeep(depthMax);
    }
    const spec = this.#innerSpec();
    this.#frames.push({
      isObject,
      start: this.#at,
      spec,
      members: isObject && spec?.members !== undefined ? new Map() : undefined,
      items: !isObject && spec?.items !== undefined ? [] : undefined,
      key: "",
      hasEqualKeys: false,
      depth: 0,
    });
    this.#expected = isObject ? "firstKey" : "first";
    this.#at += 1;
  }

  #innerSpec(): OutlineSpec | undefined {
    const frame = this.#frames.at(-1);
    if (frame === undefined) return this.#spec;
    const { spec, isObject, key } = frame;
    if (!isObject) return spec?.items;
    return spec?.members !== undefined && Object.hasOwn(spec.members, key) ? spec.members[key] : undefined;
  }

  #close(isObject: boolean): void {
    const frame = this.#frames.pop();
    const isEnd = this.#expected === "after" || this.#expected === (isObject ? "firstKey" : "first");
    if (frame === undefined || frame.isObject !== isObject || !isEnd) throw malformed(this.#at);
    this.#at += 1;
    const { start, members, items, hasEqualKeys } = frame;
    const depth = frame.depth + 1;
    const outer = this.#frames.at(-1);
    if (outer !== undefined && depth > outer.depth) outer.depth = depth;
    this.#end(isObject ? "object" : "array", start, { members, items, hasEqualKeys, depth });
  }

  #separate(): void {
    if (this.#expected !== "after") throw malformed(this.#at);
    this.#expected = this.#frames.at(-1)?.isObject === true ? "key" : "value";
    this.#at += 1;
  }

  #readScalar(): void {
    this.#startValue();
    const start = this.#at;
    const end = endOfScalar(this.#bytes, start);
    if (end === undefined) throw malformed(start);
    this.#at = end;
    const byte = this.#bytes[start] ?? 0;
    this.#end(byte === 0x2d || (byte >= 0x30 && byte <= 0x39) ? "number" : "literal", start);
  }

  #readString(limit: number): void {
    const bytes = this.#bytes;
    let at = this.#at;
    for (; at < limit; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === quote) {
        this.#at = at + 1;
        this.#endString();
        return;
      }
      if (byte < 0x20) throw malformed(at);
      if (byte === backslash) at += this.#escapeLength(at);
    }
    this.#at = at;
  }

  /** Bytes of an escape after its backslash. */
  #escapeLength(at: number): number {
    const next = this.#bytes[at + 1] ?? 0;
    if (escapes.has(next)) return 1;
    if (next !== letterU) throw malformed(at);
    for (let digit = at + 2; digit < at + 6; digit += 1) if (!isHex(this.#bytes[digit] ?? 0)) throw malformed(digit);
    return 5;
  }

  #endString(): void {
    const start = this.#stringStart;
    this.#stringStart = -1;
    if (this.#expected !== "key" && this.#expected !== "firstKey") this.#end("string", start);
    else this.#endKey(start);
  }

  #endKey(start: number): void {
    this.#expected = "colon";
    const frame = this.#frames.at(-1);
    const { keyLengthMax, membersMax } = this.#bounds;
    this.#members += 1;
    if (this.#members > membersMax) {
      throw holdsTooMany(membersMax, "keys");
    }
    if (this.#at - start - 2 > keyLengthMax) {
      throw new JsonRefusal("key_too_long", `must not have a key of more than ${keyLengthMax} bytes.`);
    }
    if (frame?.members === undefined) return;
    frame.key = JSON.parse(this.#bytes.toString("utf8", start, this.#at)) as string;
  }

  #end(kind: JsonKind, start: number, inside: ConstructorParameters<typeof JsonPart>[1] = {}): void {
    const frame = this.#frames.at(-1);
    this.#expected = frame === undefined ? "end" : "after";
    if (frame !== undefined && frame.members === undefined && frame.items === undefined) return;
    const part = new JsonPart({ source: this.#bytes, kind, start, end: this.#at }, inside);
    if (frame === undefined) this.#root = part;
    if (frame?.items !== undefined && frame.items.length < outlinedMax) frame.items.push(part);
    if (frame?.members === undefined) return;
    if (frame.members.size >= outlinedMax) {
      throw holdsTooMany(outlinedMax, "keys in one object");
    }
    if (frame.members.has(frame.key)) frame.hasEqualKeys = true;
    frame.members.set(frame.key, part);
  }
}

function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

function malformed(at: number): JsonRefusal {
  return new JsonRefusal("malformed", `is not valid JSON (at byte ${at}).`);
}
