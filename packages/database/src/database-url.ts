import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import type { Secret } from "@gatehouse/vault";
import type pg from "pg";
import { parse, toClientConfig } from "pg-connection-string";

/** Server of a database URL, and whether the connection is encrypted. */
export interface DatabaseReach {
  /** Name, address, or path of a socket. */
  readonly host: string;
  readonly isEncrypted: boolean;
}

/**
 * Beginnings of a URL, or of a socket's path. The parser of `pg` takes any other text for the name of a database, on a host called
 * "base" or on this machine, for which a start would then wait.
 */
const urlForm = /^(?:postgres(?:ql)?:\/\/|socket:\/|\/)/i;

const formProblem =
  "must be a URL such as postgresql://user:password@host:5432/database; in a password, write %23 for #, %2F for / and so on";

/** Values of `sslmode`: those of libpq, and one of pg. pg takes any other text for `verify-full`, which libpq's tools then refuse. */
const sslModes: readonly unknown[] = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full", "no-verify"];

/** The problem of a URL, or of a file that it names, to follow the name of its setting; undefined where it can be opened. */
export function findDatabaseUrlProblem(url: Secret): string | undefined {
  if (!urlForm.test(url.reveal())) return formProblem;
  try {
    const { sslmode } = parse(url.reveal());
    toClientSettings(url);
    return sslmode === undefined || sslModes.includes(sslmode)
      ? undefined
      : `has an unknown sslmode; use verify-full, or one of ${sslModes.join(", ")}`;
  } catch (err) {
    const { code, path } = err as NodeJS.ErrnoException;
    if (path !== undefined) return `names a file that cannot be read: ${path} (${code ?? "unknown"})`;
    return formProblem;
  }
}

/** Server and encryption of a URL. An invalid one counts as local; {@link findDatabaseUrlProblem} has its problem. */
export function reachOfDatabase(url: Secret): DatabaseReach {
  const { host, ssl } = readUrl(url) ?? {};
  return { host: host ?? "localhost", isEncrypted: ssl !== undefined && ssl !== false };
}

/**
 * Settings of a client. Files named by the URL (`sslrootcert`, `sslcert`, `sslkey`) are read again for each connection, so that
 * renewed certificates need no restart.
 * @throws Error for a URL, or a file of it, that cannot be read.
 */
export function toClientSettings(url: Secret): pg.ClientConfig {
  const { ssl, ...address } = toClientConfig(parse(url.reveal()));
  const files = filesOf(url);
  if (typeof ssl !== "object" || Object.keys(files).length === 0)
    return { ...address, ...(ssl === undefined ? {} : { ssl }) };
  return { ...address, ssl: followFiles(ssl, files) };
}

type Files = Partial<Record<"ca" | "cert" | "key", string>>;

/** The URL's parameters, as named by libpq. */
const parameters = { ca: "sslrootcert", cert: "sslcert", key: "sslkey" } as const;

function filesOf(url: Secret): Files {
  const given = new URL(url.reveal(), "postgres://base").searchParams;
  const names = Object.keys(parameters) as (keyof typeof parameters)[];
  return Object.fromEntries(
    names.flatMap((name) => {
      const path = given.get(parameters[name]);
      return path === null ? [] : [[name, path]];
    }),
  );
}

/** pg copies these options for each connection, and thereby reads the files' current content. */
function followFiles(ssl: ConnectionOptions, files: Files): ConnectionOptions {
  const followed = { ...ssl };
  for (const [name, path] of Object.entries(files)) {
    let last = readFileSync(path, "utf8");
    const get = (): string => {
      try {
        last = readFileSync(path, "utf8");
      } catch {
        // A file is absent for a moment while it is replaced; the last content stays valid.
      }
      return last;
    };
    Object.defineProperty(followed, name, { get, enumerable: true, configurable: true });
  }
  return followed;
}

function readUrl(url: Secret): pg.ClientConfig | undefined {
  try {
    return toClientConfig(parse(url.reveal()));
  } catch {
    return undefined;
  }
}
