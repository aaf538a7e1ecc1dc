import { type MaskedSpan, maskedSpansMax } from "../policy/verdict.ts";

/**
 * Parts of the texts that guardrails have replaced; a span's label is the replacement. Texts are compared line by line where both
 * versions have equally many lines: callers join small texts by line ends, and a replacement in one must not reach into the next.
 * Texts whose parts would exceed {@link maskedSpansMax} have one span each. Linear.
 */
export function replacedSpans(before: readonly string[], after: readonly string[]): readonly MaskedSpan[] {
  const spans: MaskedSpan[] = [];
  for (const [textIndex, text] of before.entries()) {
    const now = after[textIndex] ?? text;
    if (now === text) continue;
    const lines = replacedLines(textIndex, text, now);
    if (spans.length + lines.length <= maskedSpansMax) spans.push(...lines);
    else spans.push(replacedSpan({ textIndex, start: 0 }, text, now));
  }
  return spans;
}

function replacedLines(textIndex: number, before: string, after: string): readonly MaskedSpan[] {
  const linesBefore = before.split("\n");
  const linesAfter = after.split("\n");
  if (linesBefore.length !== linesAfter.length) return [replacedSpan({ textIndex, start: 0 }, before, after)];
  const spans: MaskedSpan[] = [];
  let start = 0;
  for (const [index, line] of linesBefore.entries()) {
    const now = linesAfter[index] ?? line;
    if (now !== line) spans.push(replacedSpan({ textIndex, start }, line, now));
    start += line.length + 1;
  }
  return spans;
}

/** The part between the common beginning and the common end of two versions that differ. */
function replacedSpan(
  at: { readonly textIndex: number; readonly start: number },
  before: string,
  after: string,
): MaskedSpan {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  let rest = 0;
  while (
    rest < shorter - start &&
    before.charCodeAt(before.length - 1 - rest) === after.charCodeAt(after.length - 1 - rest)
  )
    rest += 1;
  return {
    textIndex: at.textIndex,
    start: at.start + start,
    end: at.start + before.length - rest,
    label: after.slice(start, after.length - rest),
    isVerbatim: true,
  };
}
