import { inspect } from "node:util";
import { ConfigError } from "@gatehouse/config";
import { codeOf } from "@gatehouse/errors";
import { PostgresError } from "@gatehouse/postgres";
import { UnusablePortError } from "@gatehouse/service";

/** Why the product cannot start, in words for the person who started it. Printed without a stack. */
export class StartError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StartError";
  }
}

/** The start that failed: the port that clients use, and the command as a person types it. */
export interface FailedStart {
  readonly port: number;
  readonly command: string;
}

/** A failed start in words with a way out, where it is one that a person can act on; any other failure as it came. */
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
 * The whole `main` of a product on this machine. A failure goes to the error output, without a stack where it is in words for
 * people, and ends the process: 2 where a setting is wrong, 1 otherwise.
 */
export async function runMain(process: NodeJS.Process, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (err) {
    const isForPeople = err instanceof ConfigError || err instanceof StartError || err instanceof PostgresError;
    process.stderr.write(`\n${isForPeople ? err.message : inspect(err)}\n`);
    process.exit(err instanceof ConfigError ? 2 : 1);
  }
}
