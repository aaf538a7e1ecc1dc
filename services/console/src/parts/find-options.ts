import type { ComboboxItem, ComboboxParsedItem } from "@mantine/core";
import { formatCount } from "./format.ts";

/** Options shown at once: a gateway may have 10,000 endpoints, and each option is several elements. */
export const optionsShownMax = 30;

/** An option that people know by its label. */
export interface FindOption extends ComboboxItem {
  /** Part of its id or similar, which distinguishes equal labels and is searched as well. */
  readonly hint?: string;
}

interface Sought {
  readonly options: readonly ComboboxParsedItem[];
  readonly search: string;
}

/**
 * Options that contain every searched word in label, hint or value, in any order and case: equal ones first, then those starting
 * with the text, then others, each in their own order. A disabled last option tells how many exceed {@link optionsShownMax}.
 * Grouped options are not filtered.
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

/** Lower ranks are likelier; undefined: no match. */
function rankOf(option: ComboboxParsedItem, sought: string, words: readonly string[]): 0 | 1 | 2 | undefined {
  if ("group" in option || sought === "") return 2;
  const { label, value, hint = "" }: FindOption = option;
  const lower = label.toLowerCase();
  if (lower === sought) return 0;
  if (lower.startsWith(sought)) return 1;
  const all = `${lower} ${hint.toLowerCase()} ${value.toLowerCase()}`;
  return words.every((word) => all.includes(word)) ? 2 : undefined;
}

/** A character that no name contains. */
const restValue = "\u0000rest";

function restOf(count: number): ComboboxItem {
  return { value: restValue, label: `Type to narrow ${formatCount(count)} more`, disabled: true };
}
