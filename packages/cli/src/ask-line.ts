import type { Interface } from "node:readline";
import { CliError } from "./cli-error.ts";

/** Asks at a terminal and closes it. @throws CliError where the input ends before a line, as by Ctrl-D */
export async function askLine(terminal: Interface, question: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  terminal.once("line", resolve).once("close", () => reject(new CliError("Nothing was changed.")));
  terminal.setPrompt(question);
  terminal.prompt();
  try {
    return await promise;
  } finally {
    terminal.close();
  }
}
