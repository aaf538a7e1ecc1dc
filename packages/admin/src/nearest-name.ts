/** Largest edit distance at which a name is still taken for a misspelling. */
const distanceMax = 3;

/** The name most similar to a misspelled one, if any is close. */
export function nearestName(mistyped: string, names: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let least = Math.min(distanceMax, Math.ceil(mistyped.length / 2)) + 1;
  for (const name of names) {
    const isPart = mistyped.length > 2 && (name.startsWith(mistyped) || mistyped.startsWith(name));
    const distance = isPart ? 1 : distanceOf(mistyped, name, least);
    if (distance < least) [nearest, least] = [name, distance];
  }
  return nearest;
}

/** Levenshtein distance, capped at `limit`. */
function distanceOf(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) >= limit) return limit;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const substituted = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return Math.min(limit, row[other.length] ?? limit);
}
