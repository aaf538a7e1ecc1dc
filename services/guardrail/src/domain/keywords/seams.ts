/** One of several texts that a model reads one after the other. */
export interface Part {
  readonly role: string;
  readonly text: string;
}

/** The ends and beginnings of neighbouring texts, joined. */
interface SeamText {
  readonly text: string;
  /** Boundaries between texts, ascending: the index of the hyphen between two texts, and the index of the second text. */
  readonly seams: readonly { readonly at: number; readonly textIndex: number }[];
  /** The first text is cut: what begins here may be the middle of a word. */
  readonly isCut: boolean;
}

/** UTF-16 units of a text on each side of a seam: more than the longest keyword with hyphens and line ends in it. */
export const seamReach = 512;

/**
 * Texts around the borders of neighbouring texts by the same role. Texts are joined by a hyphen, which may break a word as well
 * as part two. Short texts in a row are joined whole, so that a word may be broken over any number of them. At most twice the
 * texts in length.
 */
export function seamsOf(texts: readonly Part[]): readonly SeamText[] {
  const found: SeamText[] = [];
  let start = 0;
  while (start < texts.length - 1) {
    let joined = texts[start]?.text.slice(-seamReach) ?? "";
    const isCut = joined.length < (texts[start]?.text.length ?? 0);
    const seams: { at: number; textIndex: number }[] = [];
    let next = start + 1;
    for (; next < texts.length; next += 1) {
      const entry = texts[next];
      if (entry === undefined || entry.role !== texts[start]?.role) break;
      seams.push({ at: joined.length, textIndex: next });
      joined += `-${entry.text.slice(0, seamReach)}`;
      if (entry.text.length > seamReach) break;
    }
    if (seams.length > 0) found.push({ text: joined, seams, isCut });
    start = seams.at(-1)?.textIndex ?? start + 1;
  }
  return found;
}
