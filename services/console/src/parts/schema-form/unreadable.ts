/** Placeholder in a form's values for input that is not a valid value. Keeps the text as typed, and is never sent. */
export class Unreadable {
  readonly text: string;
  /** Reason, for people. */
  readonly problem: string;

  constructor(text: string, problem: string) {
    this.text = text;
    this.problem = problem;
  }
}

interface Found {
  /** Path from the value: members by name, entries by index. */
  readonly path: readonly string[];
  readonly problem: string;
}

/** First unreadable part of a value; undefined: none. */
export function unreadableIn(value: unknown, path: readonly string[] = []): Found | undefined {
  if (value instanceof Unreadable) return { path, problem: value.problem };
  if (typeof value !== "object" || value === null) return undefined;
  for (const [step, part] of Object.entries(value)) {
    const found = unreadableIn(part, [...path, step]);
    if (found !== undefined) return found;
  }
  return undefined;
}
