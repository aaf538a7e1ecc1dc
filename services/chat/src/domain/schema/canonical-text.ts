/**
 * A text that is the same for values that are equal as JSON Schema has it, and for no others: names of members are sorted.
 * `onValue` is called for each value within.
 */
export function canonicalText(value: unknown, onValue: () => void): string {
  onValue();
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalText(item, onValue)).join()}]`;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalText(member, onValue)}`).join()}}`;
}
