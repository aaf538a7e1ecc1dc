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
  const url = options.gateway ?? env["GATEHOUSE_URL"] ?? defaultUrl;
  if (!/^https?:\/\/[^/]/.test(url)) throw new CliError(`${url} is not a URL: use http://host:port.`, 2);
  const { adminKeyFile: file } = options;
  const adminKey = (file === undefined ? env["GATEHOUSE_ADMIN_KEY"] : await readText(file))?.trim() ?? "";
  if (adminKey === "") {
    throw new CliError("No admin key. Set GATEHOUSE_ADMIN_KEY, or name a file with --admin-key-file.", 2);
  }
  if (!sendable.test(adminKey)) throw unsendable(file === undefined ? "GATEHOUSE_ADMIN_KEY" : file);
  return { url, adminKey };
}

/** Characters that a header takes within a credential. */
const sendable = /^[\x21-\x7e]+$/;

/** Names the key's source, without the key. */
function unsendable(source: string): CliError {
  const problem = `The admin key in ${source} has characters that cannot be sent, such as a line break, a space or the sign …`;
  return new CliError(`${problem}. Put the whole key there, in one line: svc_admin_ and what follows it.`, 2);
}

/** Reads a secret from `env:NAME`, `file:PATH`, or `-` for standard input. */
export async function readSecret(source: string, env: Environment, stdin: AsyncIterable<unknown>): Promise<string> {
  if (source === "-") return (await readAll(stdin)).trim();
  const [, kind, place = ""] = /^(env|file):(.+)$/.exec(source) ?? [];
  if (kind === "file") return (await readText(place)).trim();
  if (kind !== "env") throw new CliError(`${source} is not a source of a secret: use env:NAME, file:PATH or -.`, 2);
  const value = env[place];
  if (value === undefined || value === "") throw new CliError(`The environment has no ${place}.`, 2);
  return value;
}

/** Text of a file, or of standard input for `-`. @throws CliError with the file. */
export async function readInput(path: string, stdin: AsyncIterable<unknown>): Promise<string> {
  return path === "-" ? await readAll(stdin) : await readText(path);
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (err) {
    const code = codeOf(err) ?? "unknown";
    throw new CliError(`${path} cannot be read (${code}).`, 2);
  }
}

async function readAll(stream: AsyncIterable<unknown>): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += String(chunk);
  return text;
}
