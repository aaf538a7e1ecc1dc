/** Kind of a JSON value by its first byte; a literal is `true`, `false` or `null`. */
export type JsonKind = "object" | "array" | "string" | "number" | "literal";

/** Nested values to outline: `members` of an object (all of them; the named ones further), `items` of an array. */
export interface OutlineSpec {
  readonly members?: Readonly<Record<string, OutlineSpec>>;
  readonly items?: OutlineSpec;
}

/** Most members of one outlined object, beyond which it is refused, and items of one outlined array, beyond which they are left out. */
export const outlinedMax = 10_000;

/** Place of a value in the bytes of a checked text. */
interface PartPlace {
  readonly source: Buffer;
  readonly kind: JsonKind;
  readonly start: number;
  readonly end: number;
}

/** A value in a checked JSON text: it can be forwarded byte for byte, and only needed parts are built. Retains the whole text in memory. */
export class JsonPart {
  readonly #place: PartPlace;
  readonly kind: JsonKind;
  /** Members of an outlined object, by key; of equal keys the last. */
  readonly members: ReadonlyMap<string, JsonPart> | undefined;
  /** Items of an outlined array, the first {@link outlinedMax}. */
  readonly items: readonly JsonPart[] | undefined;
  readonly hasEqualKeys: boolean;
  /** Nesting of arrays and objects, the value included. */
  readonly depth: number;

  constructor(place: PartPlace, inside: PartInside = {}) {
    this.#place = place;
    this.kind = place.kind;
    this.members = inside.members;
    this.items = inside.items;
    this.hasEqualKeys = inside.hasEqualKeys ?? false;
    this.depth = inside.depth ?? 0;
  }

  /** An object of these members as JSON text. */
  static object(members: ReadonlyMap<string, JsonPart>): JsonPart {
    const pieces: Buffer[] = [];
    for (const [key, part] of members) {
      pieces.push(Buffer.from(`${pieces.length === 0 ? "{" : ","}${JSON.stringify(key)}:`), part.bytes);
    }
    const source = Buffer.concat([...(pieces.length === 0 ? [Buffer.from("{")] : pieces), Buffer.from("}")]);
    const depth = 1 + Array.from(members.values()).reduce((deepest, part) => Math.max(deepest, part.depth), 0);
    return new JsonPart({ source, kind: "object", start: 0, end: source.length }, { members, depth });
  }

  /** Part of a text known to be JSON, because this program wrote it. */
  static known(text: string, kind: JsonKind): JsonPart {
    const source = Buffer.from(text);
    return new JsonPart({ source, kind, start: 0, end: source.length });
  }

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

  /** The part's string; undefined for other kinds and for texts over `bytesMax`. */
  asString(bytesMax: number): string | undefined {
    return this.kind === "string" && this.size <= bytesMax ? (JSON.parse(this.text) as string) : undefined;
  }

  /** The part's number, rounded as by JavaScript. */
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

/** Longest number that is read, bytes. */
const numberBytesMax = 64;
