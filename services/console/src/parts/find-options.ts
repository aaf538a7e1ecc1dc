import type { ComboboxItem, ComboboxParsedItem } from "@mantine/core";
import { formatCount } from "./format.ts";

/** Most options that a field shows at a time: a gateway may have 10,000 endpoints, and each option is some elements of the page. */
export const optionsShownMax = 50;

/** An option that a person knows by its label. */
export interface FindOption extends ComboboxItem {
  /** A part of its id or the like, which tells it from another one of the same label; it is found by that as well. */
  readonly hint?: string;
}

interface Sought {
  readonly options: readonly ComboboxParsedItem[];
  readonly search: string;
}

/**
 * The options that have every word of what is sought in their label, hint or value, in any order and case: first the one that is it,
 * then those that begin with it, then the others, each in their own order. Of more than {@link optionsShownMax} an option that cannot
 * be chosen says how many are left. Options in groups are not narrowed.
 */
export function findOptions({ options, search }: Sought): ComboboxParsedItem[] {
  const sought = search.trim().toLowerCase();
  const words = sought.split(/\s+/);
  const ranks: readonly ComboboxParsedItem[][] = [[], [], []];
  let count = 0;
  for (const option of options) {
    const rank = rankOf(option, sought, words);
    if (rank === undefined) continue;
    count += 1;
    const equals = ranks[rank];
    if (equals !== undefined && equals.length < optionsShownMax) equals.push(option);
  }
  const shown = ranks.flat().slice(0, optionsShownMax);
  return count > shown.length ? [...shown, restOf(count - shown.length)] : shown;
}

/** 0 is the likeliest; undefined where an option is not what is sought. */
function rankOf(option: ComboboxParsedItem, sought: string, words: readonly string[]): 0 | 1 | 2 | undefined {
  if ("group" in option || sought === "") return 2;
  const { label, value, hint = "" }: FindOption = option;
  const lower = label.toLowerCase();
  if (lower === sought) return 0;
  if (lower.startsWith(sought)) return 1;
  const all = `${lower} ${hint.toLowerCase()} ${value.toLowerCase()}`;
  return words.every((word) => all.includes(word)) ? 2 : undefined;
}

/** No name of anything has this character. */
const restValue = "\u0000rest";

function restOf(count: number): ComboboxItem {
  return { value: restValue, label: `Type to narrow ${formatCount(count)} more`, disabled: true };
}
