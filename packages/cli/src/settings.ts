import { readFile } from "node:fs/promises";
import { codeOf } from "@gatehouse/errors";
import { CliError } from "./cli-error.ts";
import type { ConnectionSettings } from "./control-plane.ts";

/** Environment variables by name: `process.env`, or those of a test. An unset variable is undefined. */
export type Environment = Readonly<Record<string, string | undefined>>;

const defaultUrl = "http://localhost:8080";

/** Options of all commands; they override the environment. */
export interface GlobalOptions {
  /** The gateway's address, to which the admin key is sent. Not named `url`, which is an argument of some operations. */
  readonly gateway?: string;
  readonly adminKeyFile?: string;
  readonly json?: boolean;
}

/** The gateway's URL and the admin key. The key is never an argument, since other users of a machine can read those. */
export async function readConnection(options: GlobalOptions, env: Environment): Promise<ConnectionSettings> {
  const url = readUrl(options, env);
  const { adminKeyFile: file } = options;
  const text = file === undefined ? env["GATEHOUSE_ADMIN_KEY"] : await readText(file, "The file of --admin-key-file");
  const adminKey = text?.trim() ?? "";
  if (adminKey === "") {
    throw new CliError("No admin key. Set GATEHOUSE_ADMIN_KEY, or name a file with --admin-key-file.", 2);
  }
  if (!sendable.test(adminKey)) throw unsendable(file ?? "GATEHOUSE_ADMIN_KEY");
  return { url, adminKey };
}

function readUrl({ gateway }: GlobalOptions, env: Environment): string {
  const url = gateway ?? (env["GATEHOUSE_URL"]?.trim() || defaultUrl);
  const source = gateway === undefined ? "GATEHOUSE_URL" : "--gateway";
  const parsed = /^https?:\/\/[^/]/.test(url) ? URL.parse(url) : null;
  const problem =
    parsed === null
      ? "is not a URL"
      : parsed.username !== "" || parsed.password !== ""
        ? "has a user name or a password, which a gateway does not take"
        : undefined;
  if (problem === undefined) return url;
  // A part before "@" may be a password.
  throw new CliError(`${source} ${problem}: use http://host:port, not ${url.replace(/^.*@/s, "…@")}.`, 2);
}

/** Characters that a header takes within a credential. */
const sendable = /^[\x21-\x7e]+$/;

/** Names the key's source, without the key. */
function unsendable(source: string): CliError {
  const problem = `The admin key in ${source} has characters that cannot be sent, such as a line break, a space or the sign …`;
  return new CliError(`${problem}. Put the whole key there, in one line: svc_admin_ and what follows it.`, 2);
}

/** Where a secret is, and the option that says so. */
export interface SecretSource {
  /** `env:NAME`, `file:PATH`, or `-` for standard input. Messages do not repeat it: a secret given by mistake would be in logs. */
  readonly place: string;
  /** Such as `--api-key-from`. */
  readonly option: string;
}

/** Reads a secret from its source. @throws CliError that names the option */
export async function readSecret(
  { place, option }: SecretSource,
  env: Environment,
  stdin: AsyncIterable<unknown>,
): Promise<string> {
  if (place === "-") return (await readAll(stdin)).trim();
  const [, kind, name = ""] = /^(env|file):(.+)$/s.exec(place) ?? [];
  if (kind === "file") return (await readText(name, `The file of ${option}`)).trim();
  if (kind !== "env") throw new CliError(`${option} is not a source of a secret: use env:NAME, file:PATH or -.`, 2);
  const value = env[name];
  if (value === undefined || value === "")
    throw new CliError(`The environment has no variable that ${option} names.`, 2);
  return value;
}

/** Text of a file, or of standard input for `-`. @throws CliError with the file. */
export async function readInput(path: string, stdin: AsyncIterable<unknown>): Promise<string> {
  return path === "-" ? await readAll(stdin) : await readText(path);
}

/** @param shown the file in a message of a failure */
async function readText(path: string, shown = path): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (err) {
    const code = codeOf(err) ?? "unknown";
    throw new CliError(`${shown} cannot be read (${code}).`, 2);
  }
}

/** Decoded as a whole, since a chunk may end within a character. */
async function readAll(stream: AsyncIterable<unknown>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk instanceof Uint8Array ? chunk : Buffer.from(String(chunk)));
  return Buffer.concat(chunks).toString();
}
