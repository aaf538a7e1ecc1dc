/**
 * Failures of the local server. Each code is one situation a person can act on:
 * - `unsupported-platform`: no packaged Postgres for this system, or it cannot run here.
 * - `folder-not-writable`: the data folder cannot be created, entered or written.
 * - `not-a-cluster`: the folder holds something that is not a complete Postgres data folder.
 * - `wrong-version`: the data was written by another major version.
 * - `password-lost`: the data exists, and its password file is gone or does not match.
 * - `in-use`: another live process runs a server on this folder.
 * - `port-taken`: the requested port is in use.
 * - `disk-full`: no space is left.
 * - `start-failed`: anything else; the message has the end of the server's log.
 */
export type PostgresErrorCode =
  | "unsupported-platform"
  | "folder-not-writable"
  | "not-a-cluster"
  | "wrong-version"
  | "password-lost"
  | "in-use"
  | "port-taken"
  | "disk-full"
  | "start-failed";

/** The local server could not be started. The message is for the operator: the problem and the remedy. */
export class PostgresError extends Error {
  override readonly name = "PostgresError";
  readonly code: PostgresErrorCode;

  constructor(code: PostgresErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const otherDatabaseHint = "Or set DATABASE_URL to use a Postgres of your own.";

/**
 * Converts a failed file operation on `path` to a {@link PostgresError}; other errors become `start-failed`, with the original as
 * cause.
 */
export function toFolderError(err: unknown, path: string): PostgresError {
  if (err instanceof PostgresError) {
    return err;
  }
  const reason = err instanceof Error && "code" in err ? String(err.code) : "";
  switch (reason) {
    case "EACCES":
    case "EPERM":
    case "EROFS":
    case "ENOTDIR":
    case "EEXIST":
    // Code that Node's recursive mkdir reports on a read-only file system.
    case "ENOENT":
      return new PostgresError(
        "folder-not-writable",
        `Cannot write to ${path} (${reason}). Make it writable for this user or choose another data folder. ${otherDatabaseHint}`,
        { cause: err },
      );
    case "ENOSPC":
    case "EDQUOT":
      return diskFull(path, err);
    default:
      return new PostgresError("start-failed", `Cannot use ${path}: ${describe(err)}`, { cause: err });
  }
}

function diskFull(path: string, cause?: unknown): PostgresError {
  return new PostgresError("disk-full", `No space is left on the disk of ${path}. Free some space and start again.`, {
    cause,
  });
}

/** Derives the error from the output of `initdb` or the server. `output` is untrusted and cut to its last lines. */
export function toStartError(output: string, clusterDir: string): PostgresError {
  if (/No space left on device|Disk quota exceeded/i.test(output)) {
    return diskFull(clusterDir);
  }
  if (/could not bind IPv4 address|Address already in use/i.test(output)) {
    return new PostgresError("port-taken", "The port chosen for Postgres is in use by another program.");
  }
  if (/pre-existing shared memory block|lock file "[^"]*" already exists/i.test(output)) {
    return new PostgresError(
      "in-use",
      `Processes of an earlier Postgres still use ${clusterDir}. Wait until they have ended (or end them) and start again.`,
    );
  }
  if (/Read-only file system|Permission denied/i.test(output)) {
    return new PostgresError(
      "folder-not-writable",
      `Postgres cannot write to ${clusterDir}. Make it writable for this user or choose another data folder. ${otherDatabaseHint}\n${lastLines(output)}`,
    );
  }
  return new PostgresError(
    "start-failed",
    `Postgres did not start. ${otherDatabaseHint} It said:\n${lastLines(output)}`,
  );
}

function lastLines(output: string): string {
  return output.trim().split("\n").slice(-12).join("\n");
}

function describe(err: unknown): string {
  return err instanceof Error ? err.message : String(err);
}
