import { type Reading, ReadingBuilder, readingText } from "./reading.ts";

/** Fewer numbers in a row than this are data, not a text. */
const numbersMin = 8;
/** Each begins with a digit, as the bytes of prose do in every radix; so a text without digits is passed over at once. */
const token = "(?:0x[02-7][0-9a-f]|[01]{8}|[0-9]{2,3}|[02-7][0-9a-f])";
const separator = "[ ,;\\n\\t]{1,3}";
const listPattern = `(?<![0-9a-z])${token}(?:${separator}${token}){${numbersMin - 1},}(?![0-9a-z])`;
const probe = new RegExp(`${token}(?:${separator}${token}){${numbersMin - 1}}`, "iu");
/** Beginning of two numbers in a row, which most texts have nowhere, and which costs a tenth of the whole look. */
const twoNumbers = /[0-9][0-9a-fA-FxX][0-9a-fA-F]{0,6}[ ,;\n\t]{1,3}[0-9][0-9a-fA-FxX]/;

/** Form of each way to write a byte, and its radix. Decimal comes before octal, for it is far more usual. */
const ways: readonly { readonly form: RegExp; readonly radix: number }[] = [
  { form: /^[01]{8}$/u, radix: 2 },
  { form: /^0x[0-9a-f]{2}$/iu, radix: 16 },
  { form: /^[0-9]{2,3}$/u, radix: 10 },
  { form: /^[01][0-7]{2}$/u, radix: 8 },
  { form: /^[0-9a-f]{2}$/iu, radix: 16 },
];
const readableShare = 0.9;
/** Numbers per space at most: prose has one in six letters, and columns of figures hardly any 32. */
const numbersPerSpaceMax = 16;

/** Whether a text may hold a list of numbers that spells a text. Native looks. */
export function mayHoldNumberList(source: string): boolean {
  return twoNumbers.test(source) && probe.test(source);
}

/** Reads lists of bytes or code points, decimal, hex, octal or binary, as the text they spell. Other lists stay. Linear. */
export function decodeNumberLists(input: Reading): Reading {
  const text = readingText(input);
  let output: ReadingBuilder | undefined;
  let copied = 0;
  for (const match of text.matchAll(new RegExp(listPattern, "giu"))) {
    const spelt = spellOut(match[0]);
    if (spelt === undefined) continue;
    output ??= new ReadingBuilder(input.length);
    output.copyRange(input, copied, match.index);
    const end = match.index + match[0].length;
    output.pushText(spelt, { start: input.starts?.[match.index] ?? match.index, end: input.ends?.[end - 1] ?? end });
    copied = end;
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
