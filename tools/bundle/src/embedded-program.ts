/** A WebAssembly program extracted from a module, and the module without it. */
export interface ExtractedProgram {
  readonly bytes: Buffer;
  /** Module whose `wasm` still works as an argument of `Buffer.from`. */
  readonly code: string;
}

const form = /^const wasm = "(?<base64>[\w+/=]+)";\s*export \{ wasm \};?\s*$/;

/**
 * Extracts the WebAssembly program from a Prisma module that embeds it as text, so that it is read from a file when needed. As
 * text it stays in memory twice: as code, and as a value.
 * @throws Error where the module has another form.
 */
export function extractProgram(code: string, fileName: string): ExtractedProgram {
  const base64 = form.exec(code)?.groups?.["base64"];
  if (base64 === undefined)
    throw new Error("The module of the WebAssembly program has another form than `const wasm = ...`.");
  return {
    bytes: Buffer.from(base64, "base64"),
    code: `import { readFileSync } from "node:fs";
export const wasm = { valueOf: () => readFileSync(new URL("./${fileName}", import.meta.url)) };
`,
  };
}
