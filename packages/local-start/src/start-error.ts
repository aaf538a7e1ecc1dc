import { inspect } from "node:util";
import { ConfigError } from "@gatehouse/config";
import { codeOf } from "@gatehouse/errors";
import { PostgresError } from "@gatehouse/postgres";
import { UnusablePortError } from "@gatehouse/service";

/** A failed start, with a message for people. Printed without a stack. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StartError";
  }
}

/** A failed start: the port for clients, and the command as typed. */
export interface FailedStart {
  readonly port: number;
  readonly command: string;
}

/** Converts a failed start that a person can fix to a message with a remedy; returns other failures unchanged. */
export function toStartError(err: unknown, { port, command }: FailedStart): unknown {
  if (err instanceof UnusablePortError) return new StartError(err.message, { cause: err });
  const message = adviceFor(codeOf(err), port, command);
  return message === undefined ? err : new StartError(message, { cause: err });
}

function adviceFor(code: string | undefined, port: number, command: string): string | undefined {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} is taken. Stop what uses it, or start with another one: PORT=${port + 1} ${command}`;
    case "EACCES":
      return `Port ${port} may not be used by this user. Choose one above 1023: PORT=8080 ${command}`;
    case "ECONNREFUSED":
    case "ENOTFOUND":
      return "The Postgres that DATABASE_URL names cannot be reached. Start it, or fix DATABASE_URL.";
    case undefined:
    default:
      return undefined;
  }
}

/**
 * Whole `main` of a product on this machine, which takes no arguments. Prints a failure, without a stack where its message is for
 * people, and exits: with 2 for a wrong setting or argument, else 1. Prints what `name` is for `--help`, and runs nothing.
 * @param name of the program, for people
 */
export async function runMain(process: NodeJS.Process, name: string, run: () => Promise<void>): Promise<void> {
  const usage = `${name} takes no arguments: its settings are variables of the environment (docs/configuration.md).`;
  const [argument] = process.argv.slice(2);
  if (argument === "--help" || argument === "-h") return void process.stdout.write(`${usage}\n`);
  if (argument !== undefined) {
    process.stderr.write(`Unknown argument: ${argument}\n\n${usage}\n`);
    return void process.exit(2);
  }
  try {
    await run();
  } catch (err) {
    const isForPeople = err instanceof ConfigError || err instanceof StartError || err instanceof PostgresError;
    process.stderr.write(`\n${isForPeople ? err.message : inspect(err)}\n`);
    process.exit(err instanceof ConfigError ? 2 : 1);
  }
}
