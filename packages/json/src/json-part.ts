/** The kind of a JSON value by its first byte; a literal is `true`, `false` or `null`. */
export type JsonKind = "object" | "array" | "string" | "number" | "literal";

/** Which values below a value are outlined: `members` of an object (all of them; the named ones further), `items` of an array. */
export interface OutlineSpec {
  readonly members?: Readonly<Record<string, OutlineSpec>>;
  readonly items?: OutlineSpec;
}

/** Members of one outlined object, more of which are refused, and items of one outlined array, of which more are left out. */
export const outlinedMax = 10_000;

/** Place of a value in the bytes of a text that was read to its end. */
interface PartPlace {
  readonly source: Buffer;
  readonly kind: JsonKind;
  readonly start: number;
  readonly end: number;
}

/**
 * A value as it stands in a JSON text that was checked: it can be passed on byte for byte, and only what is needed of it is built.
 * Keeps the whole text in memory.
 */
export class JsonPart {
  readonly #place: PartPlace;
  readonly kind: JsonKind;
  /** Members of an outlined object, by key; of equal keys the last. */
  readonly members: ReadonlyMap<string, JsonPart> | undefined;
  /** Items of an outlined array, the first {@link outlinedMax}. */
  readonly items: readonly JsonPart[] | undefined;
  /** Whether an outlined object has equal keys. */
  readonly hasEqualKeys: boolean;
  /** Levels of arrays and objects, the value's own included. */
  readonly depth: number;

  constructor(place: PartPlace, inside: PartInside = {}) {
    this.#place = place;
    this.kind = place.kind;
    this.members = inside.members;
    this.items = inside.items;
    this.hasEqualKeys = inside.hasEqualKeys ?? false;
    this.depth = inside.depth ?? 0;
  }

  /** An object of these members, as JSON text writes them. */
  static object(members: ReadonlyMap<string, JsonPart>): JsonPart {
    const pieces: Buffer[] = [];
    for (const [key, part] of members) {
      pieces.push(Buffer.from(`${pieces.length === 0 ? "{" : ","}${JSON.stringify(key)}:`), part.bytes);
    }
    const source = Buffer.concat([...(pieces.length === 0 ? [Buffer.from("{")] : pieces), Buffer.from("}")]);
    const depth = 1 + Array.from(members.values()).reduce((deepest, part) => Math.max(deepest, part.depth), 0);
    return new JsonPart({ source, kind: "object", start: 0, end: source.length }, { members, depth });
  }

  /** Part of a text that is known to be JSON: one that this program wrote. */
  static known(text: string, kind: JsonKind): JsonPart {
    const source = Buffer.from(text);
    return new JsonPart({ source, kind, start: 0, end: source.length });
  }

  /** Bytes of the text. */
  get size(): number {
    return this.#place.end - this.#place.start;
  }

  /** The text in UTF-8, without a copy. */
  get bytes(): Buffer {
    return this.#place.source.subarray(this.#place.start, this.#place.end);
  }

  get text(): string {
    return this.#place.source.toString("utf8", this.#place.start, this.#place.end);
  }

  get isNull(): boolean {
    return this.kind === "literal" && this.#place.source[this.#place.start] === 0x6e;
  }

  /** The string that the part is, where it is one of at most `bytesMax` bytes of text. */
  asString(bytesMax: number): string | undefined {
    return this.kind === "string" && this.size <= bytesMax ? (JSON.parse(this.text) as string) : undefined;
  }

  /** The number that the part is, as JavaScript rounds it. */
  asNumber(): number | undefined {
    return this.kind === "number" && this.size <= numberBytesMax ? Number(this.text) : undefined;
  }
}

interface PartInside {
  readonly members?: ReadonlyMap<string, JsonPart> | undefined;
  readonly items?: readonly JsonPart[] | undefined;
  readonly hasEqualKeys?: boolean;
  readonly depth?: number;
}

/** Digits that a number of this program's interest may have. */
const numberBytesMax = 64;
