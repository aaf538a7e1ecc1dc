/** The `{{names}}` in a prompt, without duplicates. */
export function promptVariables(prompt: string): readonly string[] {
  return [...new Set([...prompt.matchAll(/\{\{\s*([\w.-]+)\s*\}\}/g)].map(([, name = ""]) => name))];
}
