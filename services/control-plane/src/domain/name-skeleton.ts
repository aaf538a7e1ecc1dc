/**
 * Characters that are drawn alike, by the one that stands for them: letters of Latin, Cyrillic, Greek and Armenian, digits and
 * signs (Unicode confusables data, UTS #39). `i` stands for `l` and `1` too, since a capital `I` is drawn like these.
 */
const lookAlikes: Readonly<Record<string, string>> = {
  a: "аАαΑɑ",
  b: "ВΒ",
  c: "сСϲϹ",
  d: "ԁ",
  e: "еЕΕ",
  g: "Ԍԍɡ",
  h: "һНΗհ",
  i: "іІιΙӏӀɩıɪlL1|ǀ∣❘",
  j: "јЈϳ",
  k: "кКκΚ",
  m: "МΜ",
  n: "Νո",
  o: "оОοΟσ0օՕ",
  p: "рРρΡ",
  q: "ԛ",
  s: "ѕЅ",
  t: "ТΤ",
  u: "υս",
  v: "ѵνѴ",
  w: "ѡԝԜ",
  x: "хХΧ",
  y: "уУүҮγΥ",
  z: "Ζ",
  "'": "’‘ʼ′`´",
};

const represented: ReadonlyMap<string, string> = new Map(
  Object.entries(lookAlikes).flatMap(([one, others]) => Array.from(others, (other) => [other, one] as const)),
);

/** Pairs of letters that are drawn like one, in the form of {@link represent}. */
const pairs: readonly (readonly [string, string])[] = [
  ["rn", "m"],
  ["vv", "w"],
];

const dashes = /[\p{Pd}\u2043\u2212\u02d7]/gu;
/** Marks on letters of several scripts, such as accents; the vowel signs of one script are letters to its readers. */
const marks = /[\p{M}&&[\p{Script=Inherited}\p{Script=Cyrillic}]]/gv;

/**
 * A form that is the same for names that people may take for each other: those that differ in case, width, dashes, look-alike
 * letters and digits, or marks that are no part of a letter. A letter with an accent, such as é, is another letter.
 */
export function nameSkeleton(name: string): string {
  // Before and after the change of case, since some letters look alike in one case only.
  const letters = represent(represent(name.normalize("NFKD")).toLowerCase());
  const single = pairs.reduce((text, [pair, one]) => text.replaceAll(pair, one), letters);
  return single.normalize("NFC").replaceAll(marks, "").replaceAll(dashes, "-");
}

/** Whether a name may be taken for one of a few, accents aside. */
export function looksLikeOne(name: string, of: readonly string[]): boolean {
  const bare = nameSkeleton(name.normalize("NFKD").replaceAll(marks, ""));
  return of.some((other) => nameSkeleton(other) === bare);
}

function represent(text: string): string {
  return Array.from(text, (letter) => represented.get(letter) ?? letter).join("");
}
