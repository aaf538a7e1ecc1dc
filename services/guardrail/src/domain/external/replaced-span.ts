import type { MaskSpan } from "../text/mask-text.ts";

/** The one part of a text that another text has in its place; undefined where they are equal. The label is what stands there. */
export function replacedSpan(before: string, after: string): MaskSpan | undefined {
  if (before === after) return undefined;
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start += 1;
  let rest = 0;
  while (
    rest < shorter - start &&
    before.charCodeAt(before.length - 1 - rest) === after.charCodeAt(after.length - 1 - rest)
  ) {
    rest += 1;
  }
  return { label: after.slice(start, after.length - rest), start, end: before.length - rest };
}
