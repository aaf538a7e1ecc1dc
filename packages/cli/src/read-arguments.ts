import type { JsonObject } from "@gatehouse/json";
import { parse } from "yaml";
import { CliError } from "./cli-error.ts";
import type { CommandValue, OperationCommand, ValueKind } from "./command.ts";
import type { ControlPlane } from "./control-plane.ts";
import { resolveEndpoint, resolveOwner, resolveProject } from "./resolve.ts";
import { type Environment, readInput, readSecret } from "./settings.ts";

interface ArgumentSources {
  readonly control: ControlPlane;
  readonly env: Environment;
  readonly stdin: AsyncIterable<unknown>;
}

/** Parsed words in order, and options by their camelCase names (commander's form). */
interface GivenValues {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** Converts a command line to an operation's arguments. @throws CliError with the invalid word. */
export async function readArguments(command: OperationCommand, given: GivenValues, sources: ArgumentSources) {
  const { words, options, fixed } = command;
  let args: JsonObject = { ...fixed };
  for (const [index, value] of words.entries()) {
    args = { ...args, ...(await readValue(value, given.words[index] ?? "", sources)) };
  }
  for (const value of options) {
    const text = given.options[toCamelCase(value.name)];
    if (text === undefined) continue;
    if (value.kind === "retries") args = { ...args, ...retryTargets(value, text as string, args) };
    else if (value.kind === "unset") args = { ...args, ...unsetOptions(text as readonly string[], options, args) };
    else args = { ...args, ...(await readValue(value, text, sources)) };
  }
  return args;
}

/** Name of an option in commander: `--dry-run` is `dryRun`. */
function toCamelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

async function readValue(value: CommandValue, given: unknown, sources: ArgumentSources): Promise<JsonObject> {
  const { kind, argument, nullWord } = value;
  if (kind === "owner") return await resolveOwner(sources.control, String(given));
  if (nullWord !== undefined && [given].flat().includes(nullWord)) {
    if ([given].flat().every((text) => text === nullWord)) return { [argument]: null };
    throw new CliError(`--${value.name} ${nullWord} excludes every other --${value.name}.`, 2);
  }
  requireChoice(value, given);
  const read = readers[kind];
  return { [argument]: await read?.(given, value, sources) };
}

/** @throws CliError for a text that the operation does not take, whose message would name an argument instead of the option */
function requireChoice({ name, kind, choices }: CommandValue, given: unknown): void {
  if (choices === undefined || (kind !== "text" && kind !== "texts")) return;
  const wrong = ([given].flat() as readonly string[]).find((text) => !choices.includes(text));
  if (wrong !== undefined) throw new CliError(`${name} must be one of ${choices.join(", ")}; not ${wrong}.`, 2);
}

type Reader = (given: unknown, value: CommandValue, sources: ArgumentSources) => unknown;

/** By kind of value; kinds that fill several arguments, or none, are absent. */
const readers: Readonly<Partial<Record<ValueKind, Reader>>> = {
  text: (given) => given,
  flag: (given) => given === true,
  texts: (given) => given,
  targets: (given) => (given as readonly string[]).map(toTarget),
  integer: (given, value) => toNumber(value, String(given)),
  number: (given, value) => toNumber(value, String(given)),
  json: async (given, value, { stdin }) => await readJson(value, String(given), stdin),
  secret: async (given, { name }, { env, stdin }) =>
    await readSecret({ place: String(given), option: `--${name}` }, env, stdin),
  project: async (given, _value, { control }) => await resolveProject(control, String(given)),
  projects: async (given, _value, { control }) =>
    await Promise.all((given as readonly string[]).map(async (text) => await resolveProject(control, text))),
  endpoint: async (given, _value, { control }) => await resolveEndpoint(control, String(given)),
};

function toNumber({ name, kind }: CommandValue, text: string): number {
  const number = Number(text);
  // One notation only: an id in another one, such as 1.0 or 0x1, would be that of another item than the one meant.
  if (kind !== "number" && Number.isSafeInteger(number) && String(number) === text) return number;
  if (kind === "number" && text.trim() !== "" && Number.isFinite(number)) return number;
  throw new CliError(
    `${name} must be ${kind === "number" ? "a number" : "a whole number, written as 12 is"}; not ${text}.`,
    2,
  );
}

function toTarget(text: string): JsonObject {
  const slash = text.indexOf("/");
  if (slash < 1 || slash === text.length - 1) throw new CliError(`${text} is not a target: use provider/model.`, 2);
  return { provider: text.slice(0, slash), model: text.slice(slash + 1) };
}

function retryTargets(value: CommandValue, text: string, { targets }: JsonObject): JsonObject {
  const count = toNumber(value, text);
  if (!Array.isArray(targets)) throw new CliError("--retries goes with --target.", 2);
  return { targets: (targets as readonly JsonObject[]).map((target) => ({ ...target, retries: count })) };
}

function unsetOptions(names: readonly string[], options: readonly CommandValue[], args: JsonObject): JsonObject {
  const nullable = options.filter(({ isNullable = false }) => isNullable);
  return Object.fromEntries(
    names.map((name) => {
      const option = nullable.find((each) => each.name === name.replace(/^--/, ""));
      if (option !== undefined) {
        if (!Object.hasOwn(args, option.argument)) return [option.argument, null];
        throw new CliError(`--unset ${option.name} excludes --${option.name}.`, 2);
      }
      const known = nullable.map((each) => each.name).join(", ");
      throw new CliError(`--unset takes one of ${known}; not ${name}.`, 2);
    }),
  );
}

async function readJson({ name }: CommandValue, text: string, stdin: AsyncIterable<unknown>): Promise<unknown> {
  const source = text.startsWith("@") ? await readInput(text.slice(1), stdin) : text;
  try {
    return parse(source) as unknown;
  } catch {
    throw new CliError(`${name} is neither JSON nor YAML of one document.`, 2);
  }
}
