import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { sep } from "node:path";
import { GatewayError, invalidArgument } from "@gatehouse/errors";
import { isReferenceText, parseReference, type SecretReference } from "./secret-reference.ts";
import { ExternalSecret, Secret } from "./secret.ts";

/** Bounds of a {@link SecretSource}: the size of a secret's file, and the cache of files. */
export const secretSourceBounds = {
  sizeBytesMax: 64 * 1024,
  /** Time for which a file's content is used before the file is checked again. */
  checkIntervalMs: 1_000,
  /** Cached files. */
  filesMax: 1_000,
} as const;

/** Environment and folder that references may be resolved from. */
export interface SecretSourceOptions {
  /** Only names with the prefix are read from it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly envPrefix: string;
  /** Only files inside are read; undefined: none. */
  readonly folder: string | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly elapsedMs?: () => number;
}

interface KnownFile {
  readonly checkedAtMs: number;
  /** Changes with every change of the file. */
  readonly version: string;
  readonly value: string;
}

/** Failure to read a secret; the message does not show it. */
class SecretProblem extends Error {}

/** Reads referenced secrets from the environment and files, within the operator's limits. */
export class SecretSource {
  readonly #options: SecretSourceOptions;
  readonly #elapsedMs: () => number;
  readonly #files = new Map<string, KnownFile>();

  constructor(options: SecretSourceOptions) {
    this.#options = options;
    this.#elapsedMs = options.elapsedMs ?? (() => performance.now());
  }

  /** A referenced secret, read when it is revealed. @param text `env:NAME` or `file:/path` */
  open(text: string): Secret {
    return new ExternalSecret(text, () => {
      try {
        return this.#read(text);
      } catch (err) {
        if (!(err instanceof SecretProblem)) throw err;
        const details = { detail: err.message };
        throw new GatewayError("unavailable", `The secret at '${text}' cannot be read.`, { details });
      }
    });
  }

  /**
   * A secret as entered by an administrator: a reference, or the value. A project's references must be in the project's own
   * place, so that no administrator of one project can refer to a secret of another.
   * @param projectUuid null for a secret of the whole gateway, which may be anywhere within the operator's limits
   * @throws GatewayError `invalid_argument` for a reference that is malformed, or elsewhere
   */
  given(text: string, projectUuid: string | null): Secret {
    if (!isReferenceText(text)) return new Secret(text);
    const reference = parseReference(text);
    if (reference === undefined) {
      throw invalidArgument("A reference to a secret is env:NAME or file:/path, without '..'.");
    }
    const { kind, name } = reference;
    const place = projectUuid === null ? "" : this.#placeOf(kind, projectUuid);
    if (!name.startsWith(place)) {
      const message = `A reference of this project must begin with ${kind}:${place}, where no other project's secrets are.`;
      throw invalidArgument(message);
    }
    return this.open(text);
  }

  /** Warning for an administrator: why a saved secret cannot be read now; null where it can. */
  warning({ reference }: Secret): string | null {
    const problem = reference === undefined ? undefined : this.problem(reference);
    return problem === undefined
      ? null
      : `It is saved, but the secret at '${reference}' cannot be read now: ${problem}`;
  }

  /** Reason why a secret cannot be read now; undefined where it can. */
  problem(text: string): string | undefined {
    try {
      this.#read(text);
      return undefined;
    } catch (err) {
      if (err instanceof SecretProblem) return err.message;
      throw err;
    }
  }

  #read(text: string): string {
    const reference = parseReference(text);
    if (reference === undefined) throw new SecretProblem("The reference is not of the form env:NAME or file:/path.");
    const value = reference.kind === "env" ? this.#readVariable(reference) : this.#readFile(reference);
    if (value === "") throw new SecretProblem("The secret is empty.");
    // It becomes part of a header.
    if (/\p{Cc}/u.test(value)) throw new SecretProblem("The secret has a line break or another control character.");
    return value;
  }

  #placeOf(kind: SecretReference["kind"], projectUuid: string): string {
    const { envPrefix, folder } = this.#options;
    if (kind === "file") return `${folder ?? ""}/projects/${projectUuid}/`;
    return `${envPrefix}${projectUuid.replaceAll("-", "_").toUpperCase()}_`;
  }

  #readVariable({ name }: SecretReference): string {
    const { env, envPrefix } = this.#options;
    if (!name.startsWith(envPrefix)) {
      throw new SecretProblem(`Only variables that begin with ${envPrefix} may be named (SECRET_ENV_PREFIX).`);
    }
    const value = env[name];
    if (value === undefined) throw new SecretProblem(`The environment variable ${name} is not set.`);
    return value;
  }

  #readFile({ name }: SecretReference): string {
    const nowMs = this.#elapsedMs();
    const known = this.#files.get(name);
    if (known !== undefined && nowMs - known.checkedAtMs < secretSourceBounds.checkIntervalMs) return known.value;
    this.#files.delete(name);
    const { folder } = this.#options;
    const path = pathInside(folder, name);
    const place = projectFolderOf(folder, name);
    if (place !== undefined) pathInside(place, name);
    const read = readRegular(path, known);
    this.#files.set(name, { ...read, checkedAtMs: nowMs });
    const [oldest] = this.#files.keys();
    if (this.#files.size > secretSourceBounds.filesMax && oldest !== undefined) this.#files.delete(oldest);
    return read.value;
  }
}

type ReadFile = Pick<KnownFile, "version" | "value">;

/** Folder of the project in a file's path; its links must not lead to another project's. */
function projectFolderOf(folder: string | undefined, path: string): string | undefined {
  const projects = `${folder ?? ""}/projects/`;
  if (!path.startsWith(projects)) return undefined;
  const end = path.indexOf(sep, projects.length);
  return end === -1 ? undefined : path.slice(0, end);
}

/** File of a path. Links are followed as long as they stay inside: Kubernetes mounts each secret as a link to a folder that it replaces. */
function pathInside(folder: string | undefined, path: string): string {
  if (folder === undefined)
    throw new SecretProblem("References to files need the setting SECRET_FOLDER, which is not set.");
  const root = resolveLinks(folder, "SECRET_FOLDER does not exist");
  const outside = new SecretProblem(`The file is not inside ${folder} (SECRET_FOLDER).`);
  // Before a link is followed: the answer must not reveal whether a file exists elsewhere.
  if (!isInside(folder, path) && !isInside(root, path)) throw outside;
  const inner = resolveLinks(path, "There is no such file");
  if (!isInside(root, inner)) throw outside;
  return inner;
}

/** Opens the file without following a further link, and without waiting for a writer as a named pipe would. */
function readRegular(path: string, known: ReadFile | undefined): ReadFile {
  const file = withSystemErrors("The file cannot be opened", () =>
    openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK),
  );
  try {
    return readOpened(file, known);
  } finally {
    closeSync(file);
  }
}

function isInside(folder: string, path: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function readOpened(file: number, known: ReadFile | undefined): ReadFile {
  const { sizeBytesMax } = secretSourceBounds;
  const found = withSystemErrors("The file cannot be read", () => fstatSync(file, { bigint: true }));
  if (!found.isFile()) throw new SecretProblem("The path is not a regular file.");
  if (found.size > sizeBytesMax) throw new SecretProblem(`The file is larger than ${sizeBytesMax} bytes.`);
  const version = [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" ");
  if (known?.version === version) return { version, value: known.value };
  const buffer = Buffer.alloc(sizeBytesMax);
  const length = withSystemErrors("The file cannot be read", () => readSync(file, buffer, 0, sizeBytesMax, 0));
  const text = decode(buffer.subarray(0, length));
  // Editors and most tools end a file with a line break that is not part of the secret.
  return { version, value: text.replace(/\r?\n$/, "") };
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new SecretProblem("The file is not UTF-8 text.");
  }
}

function resolveLinks(path: string, problem: string): string {
  return withSystemErrors(problem, () => realpathSync(path));
}

function withSystemErrors<T>(problem: string, work: () => T): T {
  try {
    return work();
  } catch (err) {
    if (!(err instanceof Error && "code" in err)) throw err;
    throw new SecretProblem(`${problem} (${String(err.code)}).`);
  }
}
