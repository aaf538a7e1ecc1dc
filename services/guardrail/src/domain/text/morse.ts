import { type Reading, ReadingBuilder, readingText } from "./reading.ts";
import { runKindOf, runsOf } from "./runs.ts";

/** Fewer signs in a row than this are dots and dashes of prose or of a rule. */
const signsMin = 6;

/** Characters of Morse code, and the fewest that so many signs have. */
const codeRun = runKindOf(".- /\n", signsMin * 2 - 1);

const alphabet = new Map(
  (
    ".-a -...b -.-.c -..d .e ..-.f --.g ....h ..i .---j -.-k .-..l --m -.n ---o .--.p --.-q .-.r ...s -t ..-u ...-v .--w -..-x -.--y --..z " +
    "-----0 .----1 ..---2 ...--3 ....-4 .....5 -....6 --...7 ---..8 ----.9"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, -1), entry.slice(-1)]),
);

/** One sign is at most five marks; the pattern cannot match the same marks in two ways. */
const pattern = new RegExp(String.raw`(?<![.-])[.-]{1,5}(?:[ /\n]{1,5}[.-]{1,5}(?![.-])){${signsMin - 1},}`, "gu");

/** Whether a text may hold Morse code: signs that stand apart. Native searches, which nearly no text passes. */
function mayHoldMorse(source: string): boolean {
  return source.includes(". .") || source.includes(". -") || source.includes("- .") || source.includes("- -");
}

/**
 * Replaces runs of Morse code, letters apart by a space and words by a slash or a wider gap, by what they say. Returns the
 * same reading when there are none, or the source has them in other characters. Linear.
 */
export function decodeMorse(input: Reading, source: string): Reading {
  if (!mayHoldMorse(source)) return input;
  let output: ReadingBuilder | undefined;
  let copied = 0;
  for (const run of runsOf(input, codeRun)) {
    for (const match of readingText(input, run.start, run.end).matchAll(pattern)) {
      const signs = match[0].match(/[.-]+/gu) ?? [];
      if (signs.length < signsMin || signs.some((sign) => !alphabet.has(sign))) continue;
      output ??= new ReadingBuilder(input.length);
      const start = run.start + match.index;
      output.copyRange(input, copied, start);
      pushSigns(input, output, { start, text: match[0] });
      copied = start + match[0].length;
    }
  }
  if (output === undefined) return input;
  output.copyRange(input, copied, input.length);
  return output.build();
}

function pushSigns(input: Reading, output: ReadingBuilder, run: { start: number; text: string }): void {
  for (const match of run.text.matchAll(/[.-]+|[ /\n]+/gu)) {
    const at = run.start + match.index;
    const letter = alphabet.get(match[0]);
    if (letter === undefined && !match[0].includes("/") && match[0].length < 2) continue;
    const last = at + match[0].length - 1;
    output.pushText(letter ?? " ", { start: input.starts?.[at] ?? at, end: input.ends?.[last] ?? last + 1 });
  }
}
