import { isHyphen } from "../keywords/symbols.ts";

/** One of several texts that a model reads one after the other. */
export interface Part {
  readonly role: string;
  readonly text: string;
  /** Whether providers may leave it out, so that the next text follows the one before it. */
  readonly isAside?: boolean;
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
 * Texts around the borders of neighbouring texts by the same speaker: in their order, and where it differs, as providers get them
 * that leave out what is blank or no content, and take all instructions first. Short texts in a row are joined whole, so that a word
 * or value may be broken over any number of them. At most twice the texts in length in each order.
 */
export function seamsOf(texts: readonly Part[], joint: Joint): readonly SeamText[] {
  if (texts.length < 2) return [];
  const found = seamsIn(texts, [...texts.keys()], joint);
  const sent = sentOrder(texts);
  if (sent === undefined) return found;
  return [...found, ...seamsIn(texts, sent, joint).filter(hasNewBorder)];
}

/** Indices of texts whose border with a text before them is read. */
export function borderedTexts(texts: readonly Part[]): ReadonlySet<number> {
  const bordered = new Set<number>();
  for (const order of [[...texts.keys()], sentOrder(texts) ?? []]) {
    for (const [at, index] of order.entries()) {
      const before = texts[order[at - 1] ?? -1];
      if (before !== undefined && speakerOf(before.role) === speakerOf(texts[index]?.role)) bordered.add(index);
    }
  }
  return bordered;
}

/** Indices of the texts as some providers get them; undefined if no texts become neighbours by that. */
function sentOrder(texts: readonly Part[]): readonly number[] | undefined {
  const instructions: number[] = [];
  const others: number[] = [];
  for (const [index, { role, text, isAside }] of texts.entries()) {
    // Texts of no length stand for what is not to be read here.
    const isBlank = text !== "" && role !== "parameter" && text.trim() === "";
    if (isBlank || isAside === true) continue;
    (speakerOf(role) === "system" ? instructions : others).push(index);
  }
  const order = [...instructions, ...others];
  return order.some((index, at) => at > 0 && index !== (order[at - 1] ?? 0) + 1) ? order : undefined;
}

function hasNewBorder({ firstIndex, seams }: SeamText): boolean {
  return seams.some(({ textIndex }, at) => textIndex !== (seams[at - 1]?.textIndex ?? firstIndex) + 1);
}

/** Instructions of both roles are one to most providers. */
function speakerOf(role: string | undefined): string | undefined {
  return role === "developer" ? "system" : role;
}

function seamsIn(texts: readonly Part[], order: readonly number[], joint: Joint): readonly SeamText[] {
  const found: SeamText[] = [];
  let start = 0;
  while (start < order.length - 1) {
    const firstIndex = order[start] ?? 0;
    const first = texts[firstIndex];
    let joined = first?.text.slice(-seamReach) ?? "";
    const cut = (first?.text.length ?? 0) - joined.length;
    const seams: { at: number; textIndex: number }[] = [];
    /** Whether what is joined ends in a hyphen, with nothing but blanks behind it. */
    let isOpen = joint === "" || endsInHyphen(joined);
    let next = start + 1;
    for (; next < order.length; next += 1) {
      const textIndex = order[next] ?? 0;
      const entry = texts[textIndex];
      if (entry === undefined || speakerOf(entry.role) !== speakerOf(first?.role)) break;
      const beginning = entry.text.slice(0, seamReach);
      const isBlank = beginning.trim() === "";
      if (!isOpen && !isBlank && !beginsWithHyphen(beginning)) joined += joint;
      seams.push({ at: joined.length, textIndex });
      joined += beginning;
      isOpen = joint === "" || (isBlank ? isOpen : endsInHyphen(beginning));
      if (entry.text.length > seamReach) break;
    }
    if (seams.length > 0) found.push({ text: joined, firstAt: -cut, firstIndex, seams, isCut: cut > 0 });
    start += seams.length === 0 ? 1 : seams.length;
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
