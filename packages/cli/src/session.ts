import type { Command } from "commander";
import { CliError } from "./cli-error.ts";
import { connectControlPlane, type ControlPlane } from "./control-plane.ts";
import { type Environment, type GlobalOptions, readConnection, readSecret } from "./settings.ts";

/** Environment and streams of the command line's process; tests pass their own. Lines have no line end. */
export interface Terminal {
  readonly env: Environment;
  readonly stdin: AsyncIterable<unknown>;
  readonly out: (line: string) => void;
  readonly err: (line: string) => void;
  /** Asks a question and returns a line; absent without an interactive terminal. */
  readonly ask?: (question: string) => Promise<string>;
  /** Asks a question without showing the answer as it is typed. */
  readonly askHidden?: (question: string) => Promise<string>;
}

/** Shortest passphrase of a backup, characters. */
const passphraseLengthMin = 12;

/** One run of the command line: its connection and output. */
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

  /**
   * Asks for confirmation. Without an interactive terminal, a script has decided, unless the command needs `--yes`.
   * @throws CliError where the answer is not yes, or `--yes` is missing
   */
  async confirm(question: string, needsYes: boolean): Promise<void> {
    const { ask } = this.terminal;
    if (ask === undefined && !needsYes) return;
    if (ask === undefined) throw new CliError("Confirmation is missing: repeat the command with --yes.", 2);
    const answer = await ask(`${question}. Type yes to go on: `);
    if (answer.trim().toLowerCase() !== "yes") throw new CliError("Nothing was changed.");
  }

  /** Reads a passphrase from the option's source, else from the terminal. @throws CliError without either. */
  async readPassphrase(source: string | undefined): Promise<string> {
    const { env, stdin, askHidden } = this.terminal;
    if (source !== undefined) return await readSecret({ place: source, option: "--passphrase-from" }, env, stdin);
    if (askHidden === undefined) {
      throw new CliError("The passphrase is missing: add --passphrase-from env:NAME, file:PATH or -.", 2);
    }
    return await askHidden("Passphrase: ");
  }

  /** Reads a passphrase to seal with; typed twice at the terminal. @throws CliError for a short one, and for two that differ. */
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

  /** Prints JSON with `--json`, else text for people. */
  show(answer: unknown, forPeople: () => string): void {
    const { json } = this.#program.opts<GlobalOptions>();
    this.terminal.out(json === true ? JSON.stringify(answer, undefined, 2) : forPeople());
  }
}
