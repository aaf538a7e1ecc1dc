import type { Endpoint } from "../api/types.ts";

/** The `{{names}}` in a prompt, without duplicates. */
export function promptVariables(prompt: string): readonly string[] {
  return [...new Set([...prompt.matchAll(/\{\{\s*([\w.-]+)\s*\}\}/g)].map(([, name = ""]) => name))];
}

/** The variables of an endpoint's prompt; none without a prompt. */
export function variablesOf({ system_prompt: prompt }: Pick<Endpoint, "system_prompt">): readonly string[] {
  return promptVariables(prompt ?? "");
}
