const letterFirst = 0x61;
const letterCount = 26;
/** Places of a letter: before each other one, and before the end of the word. */
const places = letterCount + 1;

const sounds = Uint8Array.from({ length: letterCount * places }, (_, place) => {
  const letter = String.fromCharCode(letterFirst + Math.floor(place / places));
  const next = place % places === letterCount ? "" : String.fromCharCode(letterFirst + (place % places));
  return heard(letter, next).charCodeAt(0) || 0;
});

/**
 * Code of the sound of a small Latin letter before another, or before the end of the word (`next` is 0); letters that sound alike have
 * one. 0 for silence.
 */
export function soundOf(code: number, next: number): number {
  return sounds[(code - letterFirst) * places + (next === 0 ? letterCount : next - letterFirst)] ?? 0;
}

function heard(letter: string, next: string): string {
  if (letter === "c") {
    if (next === "k") return "";
    return next === "h" ? "c" : /[eiy]/u.test(next) ? "s" : "k";
  }
  if (letter === "p" && next === "h") return "f";
  if (letter === "h" || (letter === "e" && next === "") || (letter === "o" && /[ou]/u.test(next))) return "";
  return letter === "q" ? "k" : letter === "z" ? "s" : letter;
}
