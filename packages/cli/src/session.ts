import type { Command } from "commander";
import { CliError } from "./cli-error.ts";
import { connectControlPlane, type ControlPlane } from "./control-plane.ts";
import { type Environment, type GlobalOptions, readConnection, readSecret } from "./settings.ts";

/** The process's environment and streams, as the command line uses them. */
export interface Terminal {
  readonly env: Environment;
  readonly stdin: AsyncIterable<unknown>;
  /** Writes a line. */
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  /** Asks a question and answers with a line; absent where no person is at the terminal. */
  readonly ask?: (question: string) => Promise<string>;
  /** Asks a question whose answer is not shown as it is typed. */
  readonly askHidden?: (question: string) => Promise<string>;
}

/** Characters of a passphrase that a backup is sealed under. */
const passphraseLengthMin = 12;

/** One run: where the gateway is, and how answers are shown. */
export class Session {
  readonly terminal: Terminal;
  readonly #program: Command;

  constructor(program: Command, terminal: Terminal) {
    this.#program = program;
    this.terminal = terminal;
  }

  async connect(): Promise<ControlPlane> {
    return connectControlPlane(await readConnection(this.#program.opts<GlobalOptions>(), this.terminal.env));
  }

  /** Asks a person. @throws CliError where the answer is not yes, and where no person is at the terminal. */
  async confirm(question: string): Promise<void> {
    const { ask } = this.terminal;
    if (ask === undefined) throw new CliError("This needs a yes: repeat it with --yes.", 2);
    const answer = await ask(`${question}. Type yes to go on: `);
    if (answer.trim().toLowerCase() !== "yes") throw new CliError("Nothing was changed.");
  }

  /** A passphrase from where the option says, else from the person at the terminal. @throws CliError where there is neither. */
  async readPassphrase(source: string | undefined): Promise<string> {
    const { env, stdin, askHidden } = this.terminal;
    if (source !== undefined) return await readSecret(source, env, stdin);
    if (askHidden === undefined) {
      throw new CliError("This needs a passphrase: --passphrase-from env:NAME, file:PATH or -.", 2);
    }
    return await askHidden("Passphrase: ");
  }

  /** A passphrase to seal under; a person types it twice. @throws CliError for a short one, and for two that differ. */
  async readNewPassphrase(source: string | undefined): Promise<string> {
    const passphrase = await this.readPassphrase(source);
    if (passphrase.length < passphraseLengthMin) {
      throw new CliError(`The passphrase is too short: it needs at least ${passphraseLengthMin} characters.`, 2);
    }
    if (source === undefined && (await this.terminal.askHidden?.("The same again: ")) !== passphrase) {
      throw new CliError("The two passphrases differ. Nothing was written.", 2);
    }
    return passphrase;
  }

  /** Prints JSON where it was asked for, and what a person reads elsewhere. */
  show(answer: unknown, forPeople: () => string): void {
    const { json } = this.#program.opts<GlobalOptions>();
    this.terminal.out(json === true ? JSON.stringify(answer, undefined, 2) : forPeople());
  }
}
