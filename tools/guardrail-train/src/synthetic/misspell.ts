import type { Random } from "../random.ts";

type Misspelling = (word: string, random: Random) => string;

/** Ways to misspell a word readably: letters swapped, doubled, dropped, masked, stretched or written by sound. */
const ways: readonly Misspelling[] = [
  (word, random) => {
    const at = 1 + random.below(Math.max(1, word.length - 3));
    return word.slice(0, at) + (word[at + 1] ?? "") + (word[at] ?? "") + word.slice(at + 2);
  },
  (word, random) => {
    const inner = Array.from(word.slice(1, -1));
    for (let index = inner.length - 1; index > 0; index -= 1) {
      const other = random.below(index + 1);
      [inner[index], inner[other]] = [inner[other] ?? "", inner[index] ?? ""];
    }
    return `${word.slice(0, 1)}${inner.join("")}${word.slice(-1)}`;
  },
  (word) => word.slice(0, 1) + word.slice(1).replaceAll(/[aeiou]/giu, ""),
  (word) => word.replaceAll(/[a-z]/giu, "$&$&"),
  (word, random) => {
    const at = 1 + random.below(word.length - 2);
    return `${word.slice(0, at)}*${word.slice(at + 1)}`;
  },
  (word, random) => {
    const at = random.below(word.length);
    return word.slice(0, at) + (word[at] ?? "").repeat(4) + word.slice(at + 1);
  },
  (word) =>
    word
      .replace(/ck|c(?=[aou])/giu, "k")
      .replace(/ph/giu, "f")
      .replace(/(?<=.)e$/iu, "")
      .replace(/ou/giu, "u"),
  (word) => `${word.slice(1)}${word.slice(0, 1)}ay`,
  (word) => word.replace(/[aeiou]/iu, "_"),
];

const wordLengthMin = 4;

/** Misspells most long words of a text in one way. */
export function misspell(text: string, random: Random): string {
  const way = ways[random.below(ways.length)];
  const share = 0.5 + random.next() / 2;
  return text.replaceAll(/[a-z]+/giu, (word) =>
    way === undefined || word.length < wordLengthMin || random.next() > share ? word : way(word, random),
  );
}
