import { createRandom } from "../random.ts";
import { moreDisguises } from "./more-disguises.ts";

type Disguise = (text: string) => string;

const cyrillic: Readonly<Record<string, string>> = {
  a: "а",
  c: "с",
  e: "е",
  i: "і",
  o: "о",
  p: "р",
  s: "ѕ",
  x: "х",
  y: "у",
};
const leet: Readonly<Record<string, string>> = { a: "4", e: "3", i: "1", o: "0", s: "5", t: "7" };
const morse: Readonly<Record<string, string>> = Object.fromEntries(
  (
    "a.- b-... c-.-. d-.. e. f..-. g--. h.... i.. j.--- k-.- l.-.. m-- n-. o--- p.--. q--.- r.-. s... t- u..- v...- w.-- x-..- y-.-- z--.. " +
    "0----- 1.---- 2..--- 3...-- 4....- 5..... 6-.... 7--... 8---.. 9----."
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 1), entry.slice(1)]),
);

const mapped =
  (table: Readonly<Record<string, string>>): Disguise =>
  (text) =>
    Array.from(text, (char) => table[char.toLowerCase()] ?? char).join("");
const between =
  (mark: string): Disguise =>
  (text) =>
    Array.from(text).join(mark);
const shifted =
  (from: number): Disguise =>
  (text) =>
    text.replaceAll(/[a-z]/giu, (char) => String.fromCodePoint(from + char.toLowerCase().charCodeAt(0) - 0x61));
const base64: Disguise = (text) => Buffer.from(text).toString("base64");

/** Obfuscations of attacks by their names in reports; deterministic, so that two evaluations give the same figures. */
export const disguises: Readonly<Record<string, Disguise>> = {
  ...moreDisguises,
  "zero-width": between("\u200b"),
  "soft hyphen": between("\u00ad"),
  "full-width": (text) => text.replaceAll(/[!-~]/gu, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)),
  "maths letters": shifted(0x1d41a),
  "Cyrillic look-alikes": mapped(cyrillic),
  leet: mapped(leet),
  "combining marks": (text) => text.replaceAll(/[a-z]/giu, (char) => `${char}\u0336\u0301`),
  "tag characters": (text) => text.replaceAll(/[ -~]/gu, (char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))),
  "variation selectors": (text) => `😀${Array.from(Buffer.from(text), (byte) => selector(byte)).join("")}`,
  "letters spaced": between(" "),
  "letters dotted": between("."),
  "upper case": (text) => text.toUpperCase(),
  "random case": (text) =>
    Array.from(text, (char, index) => ((index * 7) % 3 === 0 ? char.toUpperCase() : char.toLowerCase())).join(""),
  base64,
  "base64 twice": (text) => base64(base64(text)),
  hex: (text) => Buffer.from(text).toString("hex"),
  "URL-encoded": (text) => Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  "HTML entities": (text) => Array.from(text, (char) => `&#${char.codePointAt(0)};`).join(""),
  "\\u escapes": (text) =>
    text
      .split("")
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .join(""),
  rot13: (text) => text.replaceAll(/[a-z]/giu, (char) => rotate(char)),
  reversed: (text) => Array.from(text).toReversed().join(""),
  "words reversed": (text) =>
    text
      .split(" ")
      .map((word) => Array.from(word).toReversed().join(""))
      .join(" "),
  "no spaces": (text) => text.replaceAll(/\s+/gu, ""),
  underscores: (text) => text.replaceAll(/\s+/gu, "_"),
  typos: addTypos,
  Morse: (text) =>
    text
      .toLowerCase()
      .split(/\s+/u)
      .map((word) =>
        Array.from(word, (char) => morse[char] ?? "")
          .filter(Boolean)
          .join(" "),
      )
      .join(" / "),
};

function selector(byte: number): string {
  return String.fromCodePoint(byte < 16 ? 0xfe00 + byte : 0xe0100 + byte - 16);
}

function rotate(char: string): string {
  const base = char <= "Z" ? 0x41 : 0x61;
  return String.fromCharCode(((char.charCodeAt(0) - base + 13) % 26) + base);
}

/** Swaps two letters in about four of ten long words. */
function addTypos(text: string): string {
  const random = createRandom(text.length + 1);
  return text.replaceAll(/[a-z]{5,}/giu, (word) => {
    if (random.next() > 0.4) return word;
    const at = 1 + random.below(word.length - 2);
    return word.slice(0, at) + word.slice(at + 1, at + 2) + word.slice(at, at + 1) + word.slice(at + 2);
  });
}
