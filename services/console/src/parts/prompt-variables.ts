/** The `{{names}}` of a prompt, each once. */
export function promptVariables(prompt: string): readonly string[] {
  return [...new Set([...prompt.matchAll(/\{\{\s*([\w.-]+)\s*\}\}/g)].map(([, name = ""]) => name))];
}
