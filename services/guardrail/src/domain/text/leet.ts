const digitsAndSigns: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "9": "g",
  "@": "a",
  $: "s",
  "!": "i",
  "|": "l",
  "+": "t",
  "(": "c",
};
const wordLengthMax = 40;

/** ASCII code of a digit or sign to the code of the letter it stands for; 0 for the rest. */
export const leetLetters = new Uint16Array(0x80);
for (const [sign, letter] of Object.entries(digitsAndSigns)) leetLetters[sign.charCodeAt(0)] = letter.charCodeAt(0);

/** Reads the digits and signs of the word `[start, wordEnd)` as letters, in place. Signs at its ends stay punctuation. */
export function foldLeetWord(codes: Uint16Array, start: number, wordEnd: number): void {
  let end = wordEnd;
  // "stop!!!" and "now(" end in punctuation, not in letters.
  while (end > start && isClosingSign(codes[end - 1] ?? 0)) end -= 1;
  if (end - start > wordLengthMax || end - start < 2) return;
  let first = start;
  while (first < end && isClosingSign(codes[first] ?? 0) && codes[first] !== 0x40 && codes[first] !== 0x24) first += 1;
  for (let index = first; index < end; index += 1) {
    const code = codes[index] ?? 0;
    if (code < 0x80 && (leetLetters[code] ?? 0) !== 0) codes[index] = leetLetters[code] ?? code;
  }
}

function isClosingSign(code: number): boolean {
  return code === 0x21 || code === 0x28 || code === 0x2b || code === 0x7c || code === 0x40 || code === 0x24;
}

/** Signs that are punctuation unless letters stand on both sides. */
export function isSoftSign(code: number): boolean {
  return code === 0x21 || code === 0x28 || code === 0x2b || code === 0x7c;
}
