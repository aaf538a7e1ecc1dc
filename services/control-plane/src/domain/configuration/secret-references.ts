import { isJsonObject } from "@gatehouse/json-rpc";
import type { PlannedChange } from "./planned-change.ts";

/** A reference to a value that is filled in later: exactly `${NAME}`. */
const reference = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

/**
 * Assigns each secret of a document a unique name. Skips names that occur as a reference in a text of the configuration: filling
 * in would put a secret into that text, which its editor could read.
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
   * @param place under which the secret's owner stores it
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

  /** Assigned names, in order. */
  list(): readonly string[] {
    return [...this.#taken.keys()];
  }

  /** The name of each secret by its place. */
  places(): Readonly<Record<string, string>> {
    return Object.fromEntries([...this.#taken].map(([name, place]) => [place, name]));
  }
}

/** A value that a planned change requires and lacks. */
export interface MissingValue {
  /** The name in `${NAME}`; undefined where the document has no value. */
  readonly name: string | undefined;
  readonly change: PlannedChange;
  /** Path of the setting, such as `auth.value`. */
  readonly field: string;
}

/** The remaining `${NAME}` references in a change's arguments. */
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
