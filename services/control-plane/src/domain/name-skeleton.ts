/** Letters of Cyrillic and Greek that are drawn like a Latin letter (Unicode confusables data, UTS #39), by that letter. */
const lookAlikes: Readonly<Record<string, string>> = {
  a: "аАαΑ",
  b: "ВΒ",
  c: "сСϲϹ",
  d: "ԁ",
  e: "еЕΕ",
  g: "Ԍԍɡ",
  h: "һНΗ",
  i: "іІιΙӏӀɩ",
  j: "јЈϳ",
  k: "кКκΚ",
  m: "МΜ",
  n: "Ν",
  o: "оОοΟσ",
  p: "рРρΡ",
  q: "ԛ",
  s: "ѕЅ",
  t: "ТΤ",
  u: "υ",
  v: "ѵνѴ",
  w: "ѡԝԜ",
  x: "хХΧ",
  y: "уУүҮγΥ",
  z: "Ζ",
};

const latin: ReadonlyMap<string, string> = new Map(
  Object.entries(lookAlikes).flatMap(([letter, others]) => Array.from(others, (other) => [other, letter] as const)),
);

/** A form that is the same for names that people may take for each other: those that differ in case, width or look-alike letters. */
export function nameSkeleton(name: string): string {
  const letters = Array.from(name.normalize("NFKC"), (letter) => latin.get(letter) ?? letter);
  return letters.join("").toLowerCase().normalize("NFC");
}
