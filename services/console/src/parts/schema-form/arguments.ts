import type { Arguments } from "../../api/control-plane.ts";
import type { JsonSchema } from "../../api/json-schema.ts";
import { type Draft, unsavedNames, valueOf } from "./edits.ts";
import { unparsed } from "./json-field.tsx";

/** By argument: why it cannot be sent as it is. */
export type Problems = Readonly<Record<string, string>>;

/** Problems that the browser finds before the gateway is asked. */
export function problemsOf(schema: JsonSchema, draft: Draft, names: readonly string[]): Problems {
  const problems: Record<string, string> = {};
  for (const name of names) {
    const value = valueOf(draft, name);
    const isMissing = value === undefined || value === "";
    if (value === unparsed) problems[name] = "Correct the JSON first.";
    else if (schema.required?.includes(name) === true && isMissing) problems[name] = "This is required.";
  }
  return problems;
}

/**
 * Arguments to send: the person's changes, and what stands in the form without being the gateway's. What the person has not touched
 * is left out, since somebody else may have changed it after the form was opened.
 * @param initial Values that the gateway has; none where something new is made.
 */
export function argumentsToSend(draft: Draft, initial: Arguments): Arguments {
  const proposed = [...Object.keys(draft.base), ...Object.keys(draft.edits)].filter((name) => !(name in initial));
  const names = new Set([...proposed, ...unsavedNames(draft)]);
  const values = [...names].map((name) => [name, valueOf(draft, name)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/** The argument that a refusal of the Control Plane is about, so that it can be shown beside it. */
export function argumentOf(message: string, names: readonly string[]): string | undefined {
  const [, after, first] = /^(?:[A-Z][a-z]+ (?:required )?argument: '?([a-z_]+)|([a-z_]+)\b)/.exec(message) ?? [];
  return names.find((name) => name === (after ?? first));
}
