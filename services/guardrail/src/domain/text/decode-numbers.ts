import { type Reading, ReadingBuilder, readingText } from "./reading.ts";
import { runKindOf, runsOf } from "./runs.ts";

/** Fewer numbers in a row than this are data, not a text. */
const numbersMin = 8;
/** Each begins with a digit, as the bytes of prose do in every radix; so a text without digits is passed over at once. */
const token = "(?:0x[02-7][0-9a-f]|[01]{8}|[0-9]{2,3}|[02-7][0-9a-f])";
const separator = "[ ,;\\n\\t]{1,3}";
const listPattern = new RegExp(`(?<![0-9a-z])${token}(?:${separator}${token}){${numbersMin - 1},}(?![0-9a-z])`, "giu");
const probe = new RegExp(`${token}(?:${separator}${token}){${numbersMin - 1}}`, "iu");
/** Beginning of two numbers in a row, which most texts have nowhere. */
const twoNumbers = /[0-9][0-9a-fA-FxX][0-9a-fA-F]{0,6}[ ,;\n\t]{1,3}[0-9][0-9a-fA-FxX]/;
/** Form of each way to write a byte, and its radix. Decimal comes before octal, for it is far more usual. */
const ways: readonly { readonly form: RegExp; readonly radix: number }[] = [
  { form: /^[01]{8}$/u, radix: 2 },
  { form: /^0x[0-9a-f]{2}$/iu, radix: 16 },
  { form: /^[0-9]{2,3}$/u, radix: 10 },
  { form: /^[01][0-7]{2}$/u, radix: 8 },
  { form: /^[0-9a-f]{2}$/iu, radix: 16 },
];
/** Characters of such a list, and the fewest that one has. */
const listRun = runKindOf("0123456789abcdefABCDEFxX ,;\n\t", numbersMin * 3 - 1);
const readableShare = 0.9;
/** Numbers per space at most: prose has one in six letters, and columns of figures hardly any 32. */
const numbersPerSpaceMax = 16;

/**
 * Reads lists of bytes or code points, decimal, hex, octal or binary, as the text they spell. Other lists stay, and all of a text whose
 * source has them in other characters. Linear.
 */
export function decodeNumberLists(input: Reading, source: string): Reading {
  if (!twoNumbers.test(source)) return input;
  let output: ReadingBuilder | undefined;
  let copied = 0;
  for (const run of runsOf(input, listRun)) {
    // With a unit on either side, which may go on a number.
    const from = Math.max(0, run.start - 1);
    const text = readingText(input, from, Math.min(input.length, run.end + 1));
    for (const match of text.matchAll(listPattern)) {
      const spelt = spellOut(match[0]);
      if (spelt === undefined) continue;
      if (output === undefined && !probe.test(source)) return input;
      output ??= new ReadingBuilder(input.length);
      const start = from + match.index;
      const end = start + match[0].length;
      output.copyRange(input, copied, start);
      output.pushText(spelt, { start: input.starts?.[start] ?? start, end: input.ends?.[end - 1] ?? end });
      copied = end;
    }
  }
  if (output === undefined) return input;
  output.copyRange(input, copied, input.length);
  return output.build();
}

const separators = /[ ,;\n\t]+/u;

/** The text that a list of numbers spells in the first way that gives prose. Most lists are data: their beginnings show it. */
function spellOut(list: string): string | undefined {
  const tokens = list.split(separators, listLengthMax);
  for (const { form, radix } of ways) {
    if (!tokens.every((token_) => form.test(token_))) continue;
    const codes = tokens.map((token_) => Number.parseInt(token_.replace(/^0x/iu, ""), radix));
    const text = String.fromCharCode(...codes);
    if (isProse(text) && (tokens.length < listLengthMax || list.split(separators).every((all) => form.test(all))))
      return text;
  }
  return undefined;
}

/** Numbers of a list that are spelt; the rest of a longer one is dropped. */
const listLengthMax = 16_384;

function isProse(text: string): boolean {
  const plain = text.replaceAll(/[^A-Za-z ,.'!?\n]/gu, "").length;
  const spaces = text.split(" ").length - 1;
  return (
    plain >= text.length * readableShare &&
    (text.length < numbersPerSpaceMax || spaces * numbersPerSpaceMax >= text.length)
  );
}
