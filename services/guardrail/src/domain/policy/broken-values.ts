import type { Span } from "../text/reading.ts";
import { type Part, type SeamText, seamsOf } from "../text/seams.ts";
import type { InspectedText } from "./verdict.ts";

/** A value that is broken over neighbouring texts, or that only the end of the text before it tells. */
interface BrokenValue<Value> {
  readonly value: Value;
  /** Its part in each text. */
  readonly parts: readonly TextSpan[];
}

/** A range of one of several texts. */
export interface TextSpan extends Span {
  readonly textIndex: number;
}

/** Texts whose neighbours are no continuation of them: values of members, and what is several of those joined. */
const isApart = ({ role, addedLength = 0 }: InspectedText): boolean => role === "parameter" || addedLength > 0;

/** Search for values in a text, and the kind of a value. */
interface Search<Value> {
  readonly find: (text: string) => readonly Value[];
  readonly kindOf: (value: Value) => string;
}

/**
 * Values that stand over the border of neighbouring texts of one role. Texts are joined as they are, as a model reads them. A value
 * that is whole in one of the texts goes on with none of the next.
 */
export function brokenValues<Value extends Span>(
  texts: readonly InspectedText[],
  search: Search<Value>,
): readonly BrokenValue<Value>[] {
  const parts = texts.map((entry, index): Part =>
    isApart(entry) ? { role: `apart ${index}`, text: "", isAside: entry.isAside === true } : entry,
  );
  const found = seamsOf(parts, "").flatMap((seamText) => brokenIn(seamText, search));
  return foundOnce(found, search.kindOf);
}

/** A border may be read twice, with and without a blank text beside it: parts inside those of a value before are left out. */
function foundOnce<Value>(
  values: readonly BrokenValue<Value>[],
  kindOf: (value: Value) => string,
): readonly BrokenValue<Value>[] {
  const known = new Map<string, TextSpan[]>();
  return values.flatMap(({ value, parts }) => {
    const fresh = parts.filter((part) => {
      const key = `${part.textIndex} ${kindOf(value)}`;
      const before = known.get(key) ?? [];
      known.set(key, before);
      if (before.some(({ start, end }) => start <= part.start && part.end <= end)) return false;
      before.push(part);
      return true;
    });
    return fresh.length === 0 ? [] : [{ value, parts: fresh }];
  });
}

function brokenIn<Value extends Span>(
  seamText: SeamText,
  { find, kindOf }: Search<Value>,
): readonly BrokenValue<Value>[] {
  const { text, firstAt, firstIndex, seams, isCut } = seamText;
  const border = seams[0]?.at ?? text.length;
  const values = find(text).filter(({ start, end }) => end > border && !(isCut && start === 0));
  if (values.length === 0) return [];
  const pieces = [
    { at: 0, from: firstAt, textIndex: firstIndex },
    ...seams.map((seam) => ({ ...seam, from: seam.at })),
  ];
  const ranges = pieces.map(({ at, from, textIndex }, index) => {
    const end = pieces[index + 1]?.at ?? text.length;
    return { start: at, end, from, textIndex, own: find(text.slice(at, end)) };
  });
  const isWhole = (value: Value): boolean =>
    ranges.some(({ start, own }) =>
      own.some(
        (known) =>
          start + known.start < value.end && value.start < start + known.end && kindOf(known) === kindOf(value),
      ),
    );
  return values
    .filter((value) => !isWhole(value))
    .map((value) => ({
      value,
      parts: ranges
        .filter((range) => range.start < value.end && value.start < range.end)
        .map(({ start, end, from, textIndex }) => ({
          textIndex,
          start: Math.max(value.start, start) - from,
          end: Math.min(value.end, end) - from,
        })),
    }));
}
