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

/** ASCII code of a digit or sign to the code of the letter it stands for; 0 for the rest. */
export const leetLetters = new Uint16Array(0x80);
for (const [sign, letter] of Object.entries(digitsAndSigns)) leetLetters[sign.charCodeAt(0)] = letter.charCodeAt(0);

/** Whether a sign stands for any letter ("i*nore"). */
export function isMaskSign(code: number): boolean {
  return code === 0x2a || code === 0x23;
}

/** Signs that are punctuation unless letters stand on both sides. */
export function isSoftSign(code: number): boolean {
  return code === 0x21 || code === 0x28 || code === 0x2b || code === 0x7c;
}
