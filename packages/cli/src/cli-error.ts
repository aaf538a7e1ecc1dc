/** A failure to show to the user, without a stack. */
export class CliError extends Error {
  /** 1: the gateway refused or cannot be reached. 2: the command line is invalid. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.name = "CliError";
    this.exitCode = exitCode;
  }
}
