import { readFileSync } from "node:fs";
import { codeOf } from "@gatehouse/errors";
import { Secret } from "@gatehouse/vault";

/** Environment variables by name: `process.env`, or those of a test or a child process. An unset variable is undefined. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that are set: an empty one, or one of white space, counts as absent. Defaults are put before these alone. */
export function presentSettings(environment: Environment): Environment {
  return Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== ""),
  );
}

/** All problems of a configuration, by variable name and never by value. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration has ${problems.length} problem(s):\n${problems.map((line) => `  - ${line}`).join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** Default and inclusive bounds of a whole number. */
export interface IntegerOptions {
  /** Former name of the setting, read where the present one is not set. */
  readonly formerName?: string;
  readonly default: number;
  readonly min: number;
  readonly max: number;
  /** Another setting that this one must not exceed; a default that does is lowered to it. */
  readonly atMost?: { readonly name: string; readonly value: number } | undefined;
}

/**
 * Reads settings from an environment and collects every problem, so that all can be fixed at once. An empty variable counts as
 * absent. Call {@link EnvReader.finish} last.
 */
export class EnvReader {
  readonly #env: Environment;
  /** Unique, since several parts of a process may read one variable. */
  readonly #problems = new Set<string>();

  constructor(env: Environment) {
    this.#env = env;
  }

  text(name: string, fallback: string): string {
    return this.optionalText(name) ?? fallback;
  }

  optionalText(name: string): string | undefined {
    const value = this.#env[name]?.trim();
    return value === "" ? undefined : value;
  }

  requiredSecret(name: string, howToSet: string): Secret {
    const secret = this.optionalSecret(name);
    const isFile = this.optionalText(`${name}_FILE`) !== undefined;
    if (secret === undefined && !isFile) this.problem(name, `is required: ${howToSet}`);
    return secret ?? new Secret("");
  }

  /** Reads a secret from the variable, or from the file of `<name>_FILE`, without surrounding white space. */
  optionalSecret(name: string): Secret | undefined {
    const value = this.optionalText(name);
    const path = this.optionalText(`${name}_FILE`);
    if (path === undefined) return value === undefined ? undefined : new Secret(value);
    if (value !== undefined) this.problem(name, `and ${name}_FILE are both set; remove one`);
    return this.#readSecret(`${name}_FILE`, path);
  }

  /** File of a secret, for a caller that follows its changes; undefined where the variable has the secret itself. */
  secretFile(name: string): string | undefined {
    return this.optionalText(`${name}_FILE`);
  }

  /**
   * Path of a file that the setting names, for a caller that reads it again later; undefined where it is not set. A file that cannot be
   * read now, is empty or fails the check is a problem.
   * @param check returns the problem of the file's text, which follows the name of the setting
   */
  file(name: string, check: (text: string) => string | undefined): string | undefined {
    const path = this.optionalText(name);
    if (path === undefined) return undefined;
    const text = this.#readFile(name, path);
    const problem = text === undefined ? undefined : check(text);
    if (problem !== undefined) this.problem(name, problem);
    return path;
  }

  #readSecret(name: string, path: string): Secret | undefined {
    const text = this.#readFile(name, path);
    return text === undefined ? undefined : new Secret(text);
  }

  #readFile(name: string, path: string): string | undefined {
    try {
      const text = readFileSync(path, "utf8").trim();
      if (text !== "") return text;
      this.problem(name, "names a file that is empty");
    } catch (err) {
      const code = codeOf(err) ?? "unknown";
      this.problem(name, `names a file that cannot be read (${code})`);
    }
    return undefined;
  }

  integer(name: string, { formerName, ...options }: IntegerOptions): number {
    const isFormer = formerName !== undefined && this.optionalText(name) === undefined;
    return this.#integer(isFormer ? formerName : name, options);
  }

  #integer(name: string, { default: preset, min, max, atMost }: IntegerOptions): number {
    const text = this.optionalText(name);
    const fallback = Math.min(preset, atMost?.value ?? preset);
    if (text === undefined) return fallback;
    const value = Number(text);
    const isInRange = Number.isInteger(value) && value >= min && value <= max;
    if (isInRange && value <= (atMost?.value ?? max)) return value;
    this.problem(name, isInRange ? `must be at most ${atMost?.name}` : `must be a whole number from ${min} to ${max}`);
    return fallback;
  }

  oneOf<const T extends string>(name: string, choices: readonly T[], fallback: T): T {
    const text = this.optionalText(name);
    if (text === undefined) return fallback;
    const choice = choices.find((candidate) => candidate === text);
    if (choice === undefined) this.problem(name, `must be one of ${choices.join(", ")}`);
    return choice ?? fallback;
  }

  url(name: string, fallback: string, protocols: readonly string[]): string {
    const text = this.optionalText(name) ?? fallback;
    if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text;
    this.problem(name, `must be a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`);
    return fallback;
  }

  /** Variables whose names begin with a prefix, unchanged. No other variable is read. */
  variables(prefix: string): Environment {
    const names = Object.keys(this.#env).filter((name) => name.startsWith(prefix));
    return Object.fromEntries(names.map((name) => [name, this.#env[name]]));
  }

  /** Records a problem. `what` follows the variable's name and must not show its value. */
  problem(name: string, what: string): void {
    this.#problems.add(`${name} ${what}.`);
  }

  /** @throws ConfigError with every problem so far. */
  finish(): void {
    if (this.#problems.size > 0) throw new ConfigError([...this.#problems]);
  }
}

/** Reads `PUBLIC_URL`, the gateway's address for browsers and clients: a scheme and a host. Problems are collected in `env`. */
export function readPublicUrl(env: EnvReader): string | undefined {
  const given = env.optionalText("PUBLIC_URL");
  if (given === undefined) return undefined;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isOrigin = url !== undefined && `${url.origin}/` === url.href && /^https?:$/.test(url.protocol);
  if (!isOrigin) env.problem("PUBLIC_URL", "must be a scheme and a host, such as https://gateway.example.com");
  return url?.origin;
}

const serviceNameLengthMax = 100;

/** Reads `SERVICE_NAME`, the gateway's name for people and MCP clients: one line. Problems are collected in `env`. */
export function readServiceName(env: EnvReader): string {
  const name = env.text("SERVICE_NAME", "Gatehouse");
  if (name.length > serviceNameLengthMax || /\p{Cc}/u.test(name))
    env.problem("SERVICE_NAME", `must be one line of at most ${serviceNameLengthMax} characters`);
  return name;
}
