/** Longest tool name that can match a pattern: upstreams' names are far shorter, and a caller's may be megabytes. */
const nameLengthMax = 1_024;

/**
 * Whether a name matches a pattern in which `*` is any number of characters. Takes the first occurrence of each part, so that the
 * work is at most the product of the two lengths, without backtracking.
 */
export function matchesPattern(pattern: string, name: string): boolean {
  if (name.length > nameLengthMax) return false;
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
