/** One broken rule at one place, with the way to fix it. */
export interface Breach {
  /** From the repository's root, with forward slashes. */
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly problem: string;
  readonly fix: string;
}

/** Breach with the name of its rule, the key in `rules`, under which it is reported. */
export interface NamedBreach extends Breach {
  readonly rule: string;
}
