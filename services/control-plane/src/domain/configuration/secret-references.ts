import { isJsonObject } from "@gatehouse/json-rpc";
import type { PlannedChange } from "./planned-change.ts";
import { reference } from "./secret-fields.ts";

/**
 * Assigns each secret of a document a unique name. Skips names that occur as a reference in a text of the configuration: a
 * client that fills in texts too, such as envsubst, would put a secret where its editor can read it.
 */
export class SecretNames {
  readonly #taken = new Map<string, string>();
  readonly #literal: ReadonlySet<string>;

  /** @param state the configuration, with every text of the document */
  constructor(state: unknown) {
    this.#literal = new Set(referencesIn(state));
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

/** The secrets of a change that are not filled in. */
export function findReferences(change: PlannedChange): readonly MissingValue[] {
  return change.references.map(({ name, field }) => ({ name, field, change }));
}

/** Names that occur as a reference anywhere in a value. */
function referencesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (isJsonObject(value)) return Object.values(value).flatMap(referencesIn);
  const name = typeof value === "string" ? reference.exec(value)?.[1] : undefined;
  return name === undefined ? [] : [name];
}
