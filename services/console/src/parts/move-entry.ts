/** Moves one entry of a list. */
export function moveEntry<Entry>(entries: readonly Entry[], from: number, to: number): readonly Entry[] {
  const [moved] = entries.slice(from, from + 1);
  if (moved === undefined || to < 0 || to >= entries.length) return entries;
  return entries.toSpliced(from, 1).toSpliced(to, 0, moved);
}
