import { contextFormats } from "./context-formats.ts";
import { anchoredFormats, formats } from "./formats.ts";

/** A credential known by its beginning. */
export interface PrefixFormat {
  readonly kind: string;
  readonly prefix: string;
  /** Fourth character of the prefix, or 0 where it has three: most formats with the same first ones differ in it. */
  readonly fourth: number;
  /** The part after the prefix; anchored. */
  readonly rest: RegExp;
}

/** A credential known by a piece in its middle. */
interface AnchoredFormat {
  readonly kind: string;
  readonly anchor: string;
  /** The end of what stands before the anchor; anchored at its end. */
  readonly before: RegExp;
  readonly after: RegExp;
}

/** A credential known by the name that it is given. */
interface ContextFormat {
  readonly kind: string;
  readonly words: readonly string[];
  /** The whole value. */
  readonly value: RegExp;
}

/** Formats of secrets, by the characters that a scan looks them up with. */
export interface SecretFormats {
  /**
   * By {@link prefixPlace}: `FORMAT` where there are formats, `NAME` where a scheme of a header or the word for a password may begin.
   * Small enough for the processor's nearest memory, unlike the formats.
   */
  readonly beginnings: Uint8Array;
  /** By {@link prefixPlace} of the first three characters. */
  readonly byPrefix: readonly (readonly PrefixFormat[] | undefined)[];
  /** By {@link anchorPlace} of the first two characters of the anchor. */
  readonly anchored: readonly (readonly AnchoredFormat[] | undefined)[];
  readonly context: readonly ContextFormat[];
  /** Any of the words of the contexts. */
  readonly contextWord: RegExp;
  readonly kinds: readonly string[];
}

/** Bits of the beginnings of words. */
export const FORMAT = 1;
export const NAME = 2;
/** First three letters of the schemes of headers, and of the words for a password that a sentence tells. */
const names = ["bea", "bas", "tok", "pas", "pwd"];

const uuid = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";
/** No letter or digit stands before a word, or the escaped blank of JSON. */
const wordBeginning = String.raw`(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))`;
/** A value does not go on behind a format that ends in letters and digits. */
const notInside = "(?![A-Za-z0-9])";
/** Kinds that are found by special rules. */
const otherKinds = [
  "discord_token",
  "private_key",
  "password",
  "url_password",
  "bearer_token",
  "basic_credentials",
  "generic_secret",
];

let compiled: SecretFormats | undefined;

/** The formats of the rule base, made ready once. */
export function secretFormats(): SecretFormats {
  compiled ??= compile();
  return compiled;
}

/** Bits of the place of three characters. */
export const placeMask = 0x7fff;

/** Place of three characters in a table of 32,768, of five bits each; several may share one. */
export function prefixPlace(first: number, second: number, third: number): number {
  return ((first & 31) << 10) | ((second & 31) << 5) | (third & 31);
}

/** Place of two characters in a table of 1,024; several may share one. */
export function anchorPlace(first: number, second: number): number {
  return ((first & 31) << 5) | (second & 31);
}

function compile(): SecretFormats {
  const byPrefix: (PrefixFormat[] | undefined)[] = Array.from({ length: 1 << 15 });
  const kinds = new Set<string>();
  for (const [kind, prefixes, rest] of rowsOf(formats)) {
    kinds.add(kind);
    for (const prefix of prefixes.split(",")) {
      const [first = 0, second = 0, third = 0, fourth = 0] = Array.from(prefix, (char) => char.charCodeAt(0));
      const place = prefixPlace(first, second, third);
      byPrefix[place] ??= [];
      byPrefix[place].push({ kind, prefix, fourth, rest: toPattern(`^${rest}${notInside}`) });
    }
  }
  // The longer beginning says more.
  for (const entries of byPrefix) entries?.sort((left, right) => right.prefix.length - left.prefix.length);
  const anchored = rowsOf(anchoredFormats).map(([kind, anchor, before, after = ""]) => {
    kinds.add(kind);
    return { kind, anchor, before: toPattern(`${wordBeginning}${before}$`), after: toPattern(`^${after}${notInside}`) };
  });
  const context = rowsOf(contextFormats).map(([kind, words, value]) => {
    kinds.add(kind);
    return { kind, words: words.split(","), value: toPattern(`^${value}$`) };
  });
  const contextWord = new RegExp(context.flatMap(({ words }) => words).join("|"));
  const beginnings = Uint8Array.from(byPrefix, (entries) => (entries === undefined ? 0 : FORMAT));
  for (const name of names) {
    const place = prefixPlace(name.charCodeAt(0), name.charCodeAt(1), name.charCodeAt(2));
    beginnings[place] = (beginnings[place] ?? 0) | NAME;
  }
  const byAnchor = Map.groupBy(anchored, ({ anchor }) => anchorPlace(anchor.charCodeAt(0), anchor.charCodeAt(1)));
  const anchoredAt = Array.from({ length: 1 << 10 }, (_, place) => byAnchor.get(place));
  return { beginnings, byPrefix, anchored: anchoredAt, context, contextWord, kinds: [...kinds, ...otherKinds] };
}

function rowsOf(table: string): [string, string, string, string?][] {
  return table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/ +/u) as [string, string, string, string?]);
}

function toPattern(source: string): RegExp {
  return new RegExp(source.replaceAll("{uuid}", uuid));
}

const passwordKinds: ReadonlySet<string> = new Set(["password", "url_password", "basic_credentials"]);

/** Label of a credential for callers. */
export function secretLabelOf(kind: string): string {
  return passwordKinds.has(kind) ? "Password" : "API key";
}
