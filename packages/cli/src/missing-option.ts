import { CliError } from "./cli-error.ts";
import type { OperationCommand } from "./command.ts";

/**
 * A failure in the words of the command line: where the gateway misses an argument that is an option here, the option. Others
 * stay as they are.
 */
export function nameMissingOption(err: unknown, { options }: OperationCommand): unknown {
  const missing =
    err instanceof CliError ? /^Missing required argument: (\w+(?: or \w+)*)$/.exec(err.message)?.[1] : undefined;
  const named = missing?.split(" or ").map((name) => options.find(({ argument }) => argument === name));
  if (named === undefined || named.includes(undefined)) return err;
  return new CliError(`Missing option: ${named.map((option) => `--${option?.name}`).join(" or ")}.`, 2);
}
