import type { Arguments } from "../../api/control-plane.ts";
import type { JsonSchema } from "../../api/json-schema.ts";
import { type Draft, unsavedNames, valueOf } from "./edits.ts";
import type { FieldRefusal } from "./refusal.ts";
import { unreadableIn } from "./unreadable.ts";

/** Why an argument cannot be sent, by name. */
export type Problems = Readonly<Record<string, FieldRefusal>>;

interface FormNeeds {
  readonly schema: JsonSchema;
  /** Arguments that the person enters. */
  readonly names: readonly string[];
  /** Values of the gateway; absent for a new item. */
  readonly initial?: Arguments | undefined;
  /** Whether a value may be removed although its schema has no null. */
  readonly isClearable?: boolean | undefined;
}

/** Problems found before sending. */
export function problemsOf({ schema, names, ...needs }: FormNeeds, draft: Draft): Problems {
  const problems: Record<string, FieldRefusal> = {};
  const cleared = needs.isClearable === true ? [] : clearedNames(draft, needs.initial);
  for (const name of names) {
    const value = valueOf(draft, name);
    const { minItems = 0 } = schema.properties?.[name] ?? {};
    const isMissing =
      value === undefined || value === "" || (Array.isArray(value) && value.length < Math.min(minItems, 1));
    const unreadable = unreadableIn(value);
    if (unreadable !== undefined) problems[name] = { error: unreadable.problem, errorPath: unreadable.path };
    else if (schema.required?.includes(name) === true && isMissing) problems[name] = { error: "This is required." };
    else if (cleared.includes(name)) problems[name] = { error: "This cannot be empty." };
  }
  return problems;
}

/**
 * Arguments to send: edited values, and prefilled ones that the gateway does not have. Omits untouched and already saved values,
 * which another person may have changed since. Null removes a value.
 */
export function argumentsToSend(draft: Draft, initial: Arguments | undefined): Arguments {
  const standing = [...Object.keys(draft.base), ...(initial === undefined ? Object.keys(draft.edits) : [])];
  const proposed = standing.filter((name) => initial === undefined || !(name in initial));
  const names = new Set([...proposed, ...unsavedNames(draft)]);
  const values = [...names].map((name) => [name, valueOf(draft, name)] as const);
  const cleared = clearedNames(draft, initial).map((name) => [name, null] as const);
  return Object.fromEntries([...values.filter(([, value]) => value !== undefined), ...cleared]);
}

/** Values of the gateway that the person has emptied, in fields without null. */
function clearedNames(draft: Draft, initial: Arguments = {}): readonly string[] {
  const hasValue = (name: string) => initial[name] !== undefined && initial[name] !== null;
  return unsavedNames(draft).filter((name) => hasValue(name) && valueOf(draft, name) === undefined);
}
