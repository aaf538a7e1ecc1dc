import type { Arguments } from "../../api/control-plane.ts";
import type { JsonSchema } from "../../api/json-schema.ts";
import { unparsed } from "./json-field.tsx";

/** By argument: why it cannot be sent as it is. */
export type Problems = Readonly<Record<string, string>>;

export interface Draft {
  readonly schema: JsonSchema;
  /** Values before the change; empty where something new is made. */
  readonly initial: Arguments;
  readonly values: Arguments;
}

/** Problems that the browser finds before the gateway is asked. */
export function problemsOf({ schema, values }: Draft, names: readonly string[]): Problems {
  const problems: Record<string, string> = {};
  for (const name of names) {
    const value = values[name];
    const isMissing = value === undefined || value === "";
    if (value === unparsed) problems[name] = "Correct the JSON first.";
    else if (schema.required?.includes(name) === true && isMissing) problems[name] = "This is required.";
  }
  return problems;
}

/** Arguments to send: everything that was entered, or, for an existing object, the differences. */
export function changedArguments({ initial, values }: Draft): Arguments {
  const changed = Object.entries(values).filter(
    ([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(initial[name]),
  );
  return Object.fromEntries(changed);
}

/** The argument that a refusal of the Control Plane is about, so that it can be shown beside it. */
export function argumentOf(message: string, names: readonly string[]): string | undefined {
  const [, after, first] = /^(?:[A-Z][a-z]+ (?:required )?argument: '?([a-z_]+)|([a-z_]+)\b)/.exec(message) ?? [];
  return names.find((name) => name === (after ?? first));
}
