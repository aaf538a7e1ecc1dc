import type { OperationCommand } from "./command.ts";
import { deriveCommands } from "./derive-commands.ts";
import type { Operation } from "./operations.ts";

/** Known values of arguments, by the argument's name. */
export type KnownValues = Readonly<Record<string, string | number>>;

/**
 * A command line after `gatehouse`, with required parts: `project create <name> --type <type>`.
 * @param also optional arguments that are needed nevertheless
 */
export function toUsageLine(command: OperationCommand, known: KnownValues = {}, also: readonly string[] = []): string {
  const { path, words, options } = command;
  const valueOf = ({ name, argument }: { readonly name: string; readonly argument: string }) => {
    const value = known[argument] ?? (argument === "owner" ? (known["endpoint"] ?? known["project"]) : undefined);
    return value === undefined ? `<${name}>` : toWord(String(value));
  };
  const needed = options.filter(({ required = false, kind, argument }) => {
    return required || (also.includes(argument) && kind !== "retries");
  });
  return [...path, ...words.map(valueOf), ...needed.map((option) => `--${option.name} ${valueOf(option)}`)].join(" ");
}

/** Command lines of an operation, from its schema: one, or two for a switch. */
export function usageLinesOf(operation: Operation, known?: KnownValues, also?: readonly string[]): readonly string[] {
  return deriveCommands(operation).map((command) => toUsageLine(command, known, also));
}

/** Quotes a value that a POSIX shell would split. */
function toWord(value: string): string {
  return /^[\w./:@-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
