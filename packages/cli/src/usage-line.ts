import type { OperationCommand } from "./command.ts";
import { deriveCommands } from "./derive-commands.ts";
import type { Operation } from "./operations.ts";

/** Values of arguments that are known already, by the argument's name. */
export type KnownValues = Readonly<Record<string, string | number>>;

/**
 * A command as it is typed after `gatehouse`, with what it needs: `project create <name> --type <type>`.
 * @param also arguments that the schema leaves optional and that are still needed
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

/** The command lines of an operation, made of its schema: one, or two for a switch. */
export function usageLinesOf(operation: Operation, known?: KnownValues, also?: readonly string[]): readonly string[] {
  return deriveCommands(operation).map((command) => toUsageLine(command, known, also));
}

/** Quoted where a POSIX shell would take it for more than one word. */
function toWord(value: string): string {
  return /^[\w./:@-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
