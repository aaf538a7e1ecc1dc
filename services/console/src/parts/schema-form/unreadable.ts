/** Stands in a form's values for what a person has typed and is no value of its field. It is kept as it was typed, and never sent. */
export class Unreadable {
  readonly text: string;
  /** The reason, in words for the person. */
  readonly problem: string;

  constructor(text: string, problem: string) {
    this.text = text;
    this.problem = problem;
  }
}

interface Found {
  /** From the value inwards: members by name, entries by their index. */
  readonly path: readonly string[];
  readonly problem: string;
}

/** The first part of a value that cannot be read; undefined where there is none. */
export function unreadableIn(value: unknown, path: readonly string[] = []): Found | undefined {
  if (value instanceof Unreadable) return { path, problem: value.problem };
  if (typeof value !== "object" || value === null) return undefined;
  for (const [step, part] of Object.entries(value)) {
    const found = unreadableIn(part, [...path, step]);
    if (found !== undefined) return found;
  }
  return undefined;
}
