import { useState } from "react";
import { moveEntry } from "../move-entry.ts";

export type Entry = Readonly<Record<string, unknown>>;

interface Entries {
  /** React keys of the entries, which have no other identity; they move with the entries. */
  readonly keys: readonly number[];
  /** Last action in words, for screen readers. */
  readonly news: string;
  /** Appends an empty entry. */
  readonly add: () => void;
  readonly replace: (index: number, entry: Entry) => void;
  readonly remove: (index: number) => void;
  readonly move: (from: number, to: number) => void;
}

interface Kept {
  readonly keys: readonly number[];
  /** Next unused key. */
  readonly next: number;
}

/**
 * Entries of a list with their actions. Changes from elsewhere renew all keys.
 * @param noun name of one entry, such as `Pattern`
 */
export function useEntries(
  entries: readonly Entry[],
  noun: string,
  onChange: (entries: readonly Entry[]) => void,
): Entries {
  const [kept, setKept] = useState<Kept>(() => renewed({ keys: [], next: 0 }, entries.length));
  const [news, setNews] = useState("");
  const { keys, next } = kept.keys.length === entries.length ? kept : renewed(kept, entries.length);
  if (keys !== kept.keys) setKept({ keys, next });
  return {
    keys,
    news,
    add() {
      setKept({ keys: [...keys, next], next: next + 1 });
      onChange([...entries, {}]);
    },
    replace(index, entry) {
      onChange(entries.toSpliced(index, 1, entry));
    },
    remove(index) {
      setKept({ keys: keys.toSpliced(index, 1), next });
      onChange(entries.toSpliced(index, 1));
      setNews(`${noun} ${index + 1} is removed.`);
    },
    move(from, to) {
      setKept({ keys: moveEntry(keys, from, to), next });
      onChange(moveEntry(entries, from, to));
      setNews(`${noun} ${from + 1} is now number ${to + 1}.`);
    },
  };
}

function renewed({ next }: Kept, count: number): Kept {
  return { keys: Array.from({ length: count }, (_, index) => next + index), next: next + count };
}
