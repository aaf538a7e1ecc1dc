import { writeFile } from "node:fs/promises";
import { codeOf } from "@gatehouse/errors";
import { isJsonObject, type JsonObject } from "@gatehouse/json";
import { Command, CommanderError, Option } from "commander";
import { CliError } from "./cli-error.ts";
import type { CommandValue, OperationCommand } from "./command.ts";
import { commands, commandTopics } from "./commands.ts";
import { firstSentence } from "./derive-commands.ts";
import { addApply, addExport } from "./document-commands.ts";
import { formatObject, formatTable } from "./format.ts";
import { keyIds, retireKeys, rotateKeyring } from "./keyring.ts";
import { nameMissingOption } from "./missing-option.ts";
import { readArguments } from "./read-arguments.ts";
import { Session, type Terminal } from "./session.ts";
import { readSecret } from "./settings.ts";

/** Version in the workspace's package.json; a test compares the two. */
const version = "0.1.0";

/**
 * Runs one command line (without the program's name), through the Control Plane's public operations.
 * @returns the exit code: 0, 1 when the gateway refused or is unreachable, 2 for an invalid command line.
 */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await createProgram(terminal).parseAsync([...args], { from: "user" });
    return 0;
  } catch (err) {
    if (err instanceof CommanderError) return err.exitCode === 0 ? 0 : 2;
    if (!(err instanceof CliError)) throw err;
    terminal.err(`Error: ${err.message}`);
    return err.exitCode;
  }
}

function createProgram(terminal: Terminal): Command {
  const program = new Command("gatehouse")
    .description("Administers a Gatehouse: every command is an operation of its Control Plane.")
    .version(version, "--version", "print the version")
    .option("--gateway <url>", "address of the gateway (GATEHOUSE_URL, or http://localhost:8080)")
    .option("--admin-key-file <path>", "file with the admin key (or GATEHOUSE_ADMIN_KEY)")
    .option("--json", "print the answer as JSON")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
      outputError: (text, write) => write(withoutValues(text)),
    });
  const session = new Session(program, terminal);
  for (const [topic, description] of commandTopics) {
    const group = program.command(topic).description(description);
    for (const command of commands.filter(({ path }) => path[0] === topic)) addOperation(group, command, session);
  }
  addApply(program, session);
  addExport(program, session);
  addCall(program, session);
  addKeyring(program, session);
  program.addHelpText("after", localCommands);
  refuseContradictions(program);
  return program;
}

/** Commands that `scripts/gatehouse.mjs` runs itself, as separate programs. */
const localCommands = `
Commands on this machine, without a gateway:
  keys                          Keys and certificates of services that run apart.
  migrate                       Applies the migrations of the services' databases.
  serve                         Runs the named services in one process.`;

/** Commander's message about a wrong word without the words and values given, one of which may be a secret. */
function withoutValues(message: string): string {
  return message.replace(/(unknown option '--[^'=]+)=.*?'$/ms, "$1'").replace(/(but got \d+): .*$/s, "$1.");
}

const repeatable: ReadonlySet<CommandValue["kind"]> = new Set(["texts", "projects", "targets", "unset"]);

/** Makes every command refuse an option that is given twice with different values, of which it could use only one. */
function refuseContradictions(command: Command): void {
  for (const each of command.commands) refuseContradictions(each);
  const given = new Map<string, string>();
  // Only repeatable options have a parser, which collects their values.
  for (const option of command.options.filter(({ parseArg }) => parseArg === undefined)) {
    const attribute = option.attributeName();
    // The name is part of the value of a flag: `--streaming` or `--no-streaming`.
    command.on(`option:${option.name()}`, (value: unknown) => {
      const present = given.get(attribute);
      const word = `${option.name()} ${String(value)}`;
      if ((present ?? word) !== word) throw new CliError(`--${option.name()} contradicts an earlier option.`, 2);
      given.set(attribute, word);
    });
  }
}

function addOperation(group: Command, command: OperationCommand, session: Session): void {
  const added = group
    .command(command.path[1])
    .description(command.description)
    .summary(firstSentence(command.description));
  for (const word of command.words) added.argument(`<${word.name}>`, word.description);
  for (const option of command.options) for (const each of toOptions(option)) added.addOption(each);
  if (command.confirms !== undefined) added.option("--yes", "do not ask");
  added.action(async () => {
    await confirm(command, added, session);
    const control = await session.connect();
    const { env, stdin } = session.terminal;
    const given = { words: added.args, options: added.opts<Record<string, unknown>>() };
    const args = await readArguments(command, given, { control, env, stdin });
    const answer = await control.call(command.operation, args).catch((err: unknown) => {
      throw nameMissingOption(err, command);
    });
    session.show(answer, () => formatAnswer(command, answer));
  });
}

/** One option, or two for a flag: `--streaming` and `--no-streaming`. */
function toOptions({ name, kind, description, required = false }: CommandValue): readonly Option[] {
  if (kind === "flag") return [new Option(`--${name}`, description), new Option(`--no-${name}`, "The opposite.")];
  const option = new Option(`--${name} <${name}>`, description).makeOptionMandatory(required);
  if (!repeatable.has(kind)) return [option];
  return [option.argParser((value: string, before: readonly string[] | undefined) => [...(before ?? []), value])];
}

/** Asks before a command that cannot be undone, unless `--yes` is given. @throws CliError where the answer is not yes */
async function confirm({ confirms }: OperationCommand, given: Command, session: Session): Promise<void> {
  const options = given.opts<Readonly<Record<string, unknown>>>();
  if (confirms === undefined || options["yes"] === true) return;
  const { consequence, needsYes, flag } = confirms;
  if (flag !== undefined && options[flag] !== true) return;
  await session.confirm(`${consequence} (${given.args.join(" ")}). This cannot be undone`, needsYes);
}

function formatAnswer({ table }: OperationCommand, answer: JsonObject): string {
  if (table === undefined) return formatObject(answer);
  const lines = [formatTable((answer[table.list] ?? []) as readonly JsonObject[], table.columns ?? [])];
  if (typeof answer["next_cursor"] === "string") lines.push("", `More: --cursor ${answer["next_cursor"]}`);
  return lines.join("\n");
}

function addCall(program: Command, session: Session): void {
  program
    .command("call")
    .description("Calls any operation by its name, with its arguments as JSON; without a name lists the operations.")
    .argument("[operation]", "for example svc_list_projects")
    .argument("[arguments]", "JSON object", "{}")
    .action(async (operation: string | undefined, text: string) => {
      const control = await session.connect();
      if (operation === undefined) {
        const operations = (await control.listOperations()).map(({ name, description }) => ({ name, description }));
        return session.show(operations, () => formatTable(operations, ["name", "description"]));
      }
      const answer = await control.call(operation, parseJson(text));
      return session.show(answer, () => JSON.stringify(answer, undefined, 2));
    });
}

interface KeyringCommand {
  readonly name: string;
  readonly description: string;
  /** Derives the keyring to write from the one read. */
  readonly make: (text: string) => string;
  readonly steps: string;
}

const keyringSource = "Where the keyring is: env:NAME, file:PATH or -.";

/** Local commands: the keyring is a setting, which no operation shows or changes. */
function addKeyring(program: Command, { terminal }: Session): void {
  const group = program.command("keyring").description("The keys that seal stored secrets (GATEHOUSE_KEYRING).");
  const add = ({ name, description, make, steps }: KeyringCommand) => {
    group
      .command(name)
      .description(description)
      .option("--from <from>", keyringSource, "env:GATEHOUSE_KEYRING")
      .requiredOption("-o, --output <path>", "a new file for the keyring, readable by its owner alone")
      .action(async ({ from, output }: { readonly from: string; readonly output: string }) => {
        const text = make(await readSecret({ place: from, option: "--from" }, terminal.env, terminal.stdin));
        await writeNew(output, text);
        terminal.out(`Written to ${output}: ${keyIds(text).join(", ")}.\n${steps}`);
      });
  };
  add({
    name: "rotate",
    description: "Puts a new key first. Services seal under it from their next start, and re-seal what is stored.",
    make: (text) => rotateKeyring(text, new Date()),
    steps: rotateSteps,
  });
  add({
    name: "retire",
    description: "Takes all keys but the first away, once nothing is sealed under them.",
    make: retireKeys,
    steps: retireSteps,
  });
}

const rotateSteps = `Next:
  1. Set GATEHOUSE_KEYRING to the content of that file for chat, guardrail, mcp-aggregator, api-proxy and webhook-dispatcher, and restart them.
  2. Wait until gatehouse_sealed_values{key="older"} and, for older keys, gatehouse_webhook_roots of /metrics are 0.
  3. gatehouse keyring retire, set the result likewise, and restart.`;
const retireSteps = "Next: set GATEHOUSE_KEYRING to the content of that file for the same services, and restart them.";

/** Never overwrites a file, which may be the only keyring that opens the stored secrets. */
async function writeNew(path: string, text: string): Promise<void> {
  try {
    await writeFile(path, `${text}\n`, { mode: 0o600, flag: "wx" });
  } catch (err) {
    const code = codeOf(err) ?? "unknown";
    throw new CliError(`${path} cannot be written (${code}). Name a file that does not exist.`);
  }
}

function parseJson(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Text that is not JSON is refused below, like JSON that is not an object.
  }
  throw new CliError("The arguments must be a JSON object.", 2);
}
