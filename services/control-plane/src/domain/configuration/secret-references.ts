import { isJsonObject } from "@gatehouse/json-rpc";
import type { PlannedChange } from "./planned-change.ts";

/** A text that stands for a value which is to be filled in: exactly `${NAME}`. */
const reference = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

/**
 * Gives each secret of a document a name; no two have the same. A name that stands as a reference in a text of the configuration is
 * given to none: filling in the secrets would put a secret into that text, which its editor could then read.
 */
export class SecretNames {
  readonly #taken = new Map<string, string>();
  readonly #literal: ReadonlySet<string>;

  /** @param state the configuration, with every text of the document */
  constructor(state: unknown) {
    this.#literal = new Set(referencesIn(state, "").map(({ name }) => name));
  }

  /**
   * `${OPENAI_MAIN_API_KEY}` for `["openai", "main", "api_key"]`.
   * @param place the name that the secret's owner knows it by
   */
  referTo(parts: readonly string[], place: string): string {
    const letters = parts.map((part) => part.toUpperCase().replaceAll(/[^A-Z0-9]+/g, "_"));
    const base = letters
      .join("_")
      .replaceAll(/_+/g, "_")
      .replaceAll(/^_|_$/g, "")
      .replace(/^(?=[0-9])/, "_");
    let name = base;
    for (let count = 2; this.#taken.has(name) || this.#literal.has(name); count += 1) name = `${base}_${count}`;
    this.#taken.set(name, place);
    return `\${${name}}`;
  }

  /** Names given out, in their order. */
  list(): readonly string[] {
    return [...this.#taken.keys()];
  }

  /** The name of each secret by its place. */
  places(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#taken].map(([name, place]) => [place, name]));
  }
}

/** A value that a planned change needs and does not have. */
export interface MissingValue {
  /** The name in `${NAME}`; undefined where the document has nothing at all. */
  readonly name: string | undefined;
  readonly change: PlannedChange;
  /** As in `auth.value`. */
  readonly field: string;
}

/** `${NAME}` references that are left in a change's arguments. */
export function findReferences(change: PlannedChange): readonly MissingValue[] {
  return referencesIn(change.arguments, "").map(({ name, field }) => ({ name, field, change }));
}

interface FoundReference {
  readonly name: string;
  readonly field: string;
}

function referencesIn(value: unknown, field: string): readonly FoundReference[] {
  if (Array.isArray(value)) return value.flatMap((member, index) => referencesIn(member, `${field}[${index}]`));
  if (isJsonObject(value)) {
    return Object.entries(value).flatMap(([key, member]) =>
      referencesIn(member, field === "" ? key : `${field}.${key}`),
    );
  }
  const name = typeof value === "string" ? reference.exec(value)?.[1] : undefined;
  return name === undefined ? [] : [{ name, field }];
}
