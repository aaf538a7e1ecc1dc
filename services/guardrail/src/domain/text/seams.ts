import { isHyphen } from "../keywords/symbols.ts";

/** One of several texts that a model reads one after the other. */
export interface Part {
  readonly role: string;
  readonly text: string;
}

/** The ends and beginnings of neighbouring texts, joined. */
export interface SeamText {
  readonly text: string;
  /** Place of the first text, which may lie before the beginning: where its first unit would stand. */
  readonly firstAt: number;
  readonly firstIndex: number;
  /** Boundaries between texts, ascending: where the second text begins, and its index. */
  readonly seams: readonly { readonly at: number; readonly textIndex: number }[];
  /** The first text is cut: what begins here may be the middle of a word. */
  readonly isCut: boolean;
}

/** UTF-16 units of a text on each side of a seam: more than the longest keyword with hyphens and line ends in it. */
export const seamReach = 512;

/**
 * Mark between two texts. A hyphen may break a word as well as part two, so that none is added beside the texts' own; values are
 * broken without one.
 */
type Joint = "-" | "";

/**
 * Texts around the borders of neighbouring texts by the same role. Short texts in a row are joined whole, so that a word or value may be
 * broken over any number of them. At most twice the texts in length.
 */
export function seamsOf(texts: readonly Part[], joint: Joint): readonly SeamText[] {
  const found: SeamText[] = [];
  let start = 0;
  while (start < texts.length - 1) {
    const first = texts[start]?.text ?? "";
    let joined = first.slice(-seamReach);
    const cut = first.length - joined.length;
    const seams: { at: number; textIndex: number }[] = [];
    /** Whether what is joined ends in a hyphen, with nothing but blanks behind it. */
    let isOpen = joint === "" || endsInHyphen(joined);
    let next = start + 1;
    for (; next < texts.length; next += 1) {
      const entry = texts[next];
      if (entry === undefined || entry.role !== texts[start]?.role) break;
      const beginning = entry.text.slice(0, seamReach);
      const isBlank = beginning.trim() === "";
      if (!isOpen && !isBlank && !beginsWithHyphen(beginning)) joined += joint;
      seams.push({ at: joined.length, textIndex: next });
      joined += beginning;
      isOpen = joint === "" || (isBlank ? isOpen : endsInHyphen(beginning));
      if (entry.text.length > seamReach) break;
    }
    if (seams.length > 0) found.push({ text: joined, firstAt: -cut, firstIndex: start, seams, isCut: cut > 0 });
    start = seams.at(-1)?.textIndex ?? start + 1;
  }
  return found;
}

function endsInHyphen(text: string): boolean {
  const end = text.trimEnd();
  return isHyphen(end.charCodeAt(end.length - 1));
}

function beginsWithHyphen(text: string): boolean {
  return isHyphen(text.trimStart().charCodeAt(0));
}
