import type { ChildProcess } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findFreePort } from "@gatehouse/ports";
import { prepareBinaries } from "./binaries.ts";
import { productDatabase, prepareCluster, superuser, type Cluster } from "./cluster.ts";
import { ensureDatabase } from "./ensure-database.ts";
import { prepareHome, type Home } from "./home.ts";
import { acquireOwnership } from "./owner-lock.ts";
import { PostgresError, toFolderError } from "./postgres-error.ts";
import { clearLeftovers, launchPostmaster, sendSignal, stopProcess, type PostmasterOptions } from "./postmaster.ts";

/** Options of {@link startPostgres}; all but `dataDir` and `logFile` have defaults. */
export interface StartPostgresOptions {
  /** Folder for all files of the server. Created if absent; the user that Postgres runs as must be able to pass its parents. */
  readonly dataDir: string;
  /** Log of the server. Appended to; renamed at start when over 8 MiB. Contains neither statements nor values of rows. */
  readonly logFile: string;
  /** Exact port, or failure with `port-taken`. Absent: the port of the last start if it is free, else any free one. */
  readonly port?: number;
  /** For tests: writes are not flushed to disk. Fast, and a power cut loses the data. */
  readonly throwaway?: boolean;
  /** Bound of sessions; 200 where absent. */
  readonly connectionsMax?: number;
  /** Called with one sentence about each slow or unusual step. */
  readonly onProgress?: (message: string) => void;
  /** Called once when the server ends without {@link LocalPostgres.stop}. */
  readonly onUnexpectedExit?: () => void;
  /** For root: folder for data and programs that the server's user cannot reach otherwise. Default `/var/lib/gatehouse`. */
  readonly fallbackRoot?: string;
}

/** Running Postgres of a local start or test, reachable on this machine only. */
export interface LocalPostgres {
  /** Connection string of the superuser to the database `gatehouse`. Contains the password: never log it. */
  readonly url: string;
  readonly port: number;
  /** Folder of the data: `dataDir`, or its replacement where the server's user could not enter it. */
  readonly dataDir: string;
  /** Whether this start created the data. */
  readonly startedFresh: boolean;
  /** Ends all sessions and the server, within 8 s. Idempotent. */
  stop(): Promise<void>;
}

type LaunchOptions = Omit<PostmasterOptions, "port"> & { readonly port: number | undefined };

const defaultFallbackRoot = "/var/lib/gatehouse";
const endedByForce =
  "Postgres did not end in time and was ended by force. Its next start restores all that it has confirmed.";
const portAttemptsMax = 5;
/** Longest time until sessions of a killed server notice that it is gone. */
const leftoverSessionsTimeoutMs = 15_000;
const leftoverPollMs = 100;

/**
 * Runs a real Postgres on 127.0.0.1 from the npm package for this system: creates the data on first use, recovers from a crash,
 * and resolves when the server accepts connections. For root the server runs as `postgres` or `nobody`. The server ends with this
 * process; after a SIGKILL, the next start ends it. Throws {@link PostgresError} with a remedy for the operator.
 */
export async function startPostgres(options: StartPostgresOptions): Promise<LocalPostgres> {
  const onProgress = options.onProgress ?? (() => undefined);
  const fallbackRoot = options.fallbackRoot ?? defaultFallbackRoot;
  const home = await prepareHome(options.dataDir, fallbackRoot, onProgress);
  const release = await acquireOwnership(home.directory);
  try {
    const copyRoot = home.user === undefined ? home.directory : fallbackRoot;
    const binaries = await prepareBinaries(home.user, copyRoot, onProgress);
    const throwaway = options.throwaway ?? false;
    const cluster = await prepareCluster(home, binaries, throwaway, onProgress);
    const { logFile, port, connectionsMax } = options;
    const server = { clusterDir: cluster.directory, logFile, port, throwaway, connectionsMax };
    const launch = { ...server, binaries, home, onProgress };
    const { child, port: chosenPort } = await launchOnFreePort(launch);
    return await finishStart(child, {
      cluster,
      home,
      port: chosenPort,
      release,
      onProgress,
      onUnexpectedExit: options.onUnexpectedExit,
    });
  } catch (err) {
    await release();
    throw err;
  }
}

interface Started {
  readonly cluster: Cluster;
  readonly home: Home;
  readonly port: number;
  readonly release: () => Promise<void>;
  readonly onProgress: (message: string) => void;
  readonly onUnexpectedExit: (() => void) | undefined;
}

async function finishStart(child: ChildProcess, started: Started): Promise<LocalPostgres> {
  const { cluster, home, port } = started;
  const stop = superviseServer(child, started);
  const toUrl = (database: string): string =>
    `postgresql://${superuser}:${cluster.password}@127.0.0.1:${port}/${database}`;
  try {
    await rememberPort(home.directory, port);
    await ensureDatabase(toUrl("postgres"), productDatabase);
  } catch (err) {
    await stop();
    throw err;
  }
  return { url: toUrl(productDatabase), port, dataDir: home.directory, startedFresh: cluster.isNew, stop };
}

/** Ends the server with this process, and reports its unexpected end. @returns a function that stops it */
function superviseServer(child: ChildProcess, { release, onProgress, onUnexpectedExit }: Started): () => Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null) {
    throw new PostgresError("start-failed", "Postgres ended right after it was ready.");
  }
  let stopping: Promise<void> | undefined;
  // Last resort when this process ends without stop(): a signal needs no waiting.
  const endWithUs = (): void => sendSignal(pid, "SIGINT");
  process.once("exit", endWithUs);
  child.once("exit", () => {
    process.off("exit", endWithUs);
    if (stopping === undefined) {
      onUnexpectedExit?.();
    }
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      const hasWritten = await stopProcess(pid);
      if (!hasWritten) onProgress(endedByForce);
    }
    await release();
  };
  return () => (stopping ??= stop());
}

async function launchOnFreePort(
  options: LaunchOptions,
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const { port: fixedPort, home, clusterDir, onProgress } = options;
  await clearLeftovers(clusterDir, onProgress);
  let preferred = fixedPort ?? (await recallPort(home.directory));
  for (let attempt = 1; ; attempt += 1) {
    const port = fixedPort ?? (await findFreePort(preferred));
    try {
      return { child: await launchPastLeftovers({ ...options, port }), port };
    } catch (err) {
      if (!(err instanceof PostgresError && err.code === "port-taken")) {
        throw err;
      }
      if (fixedPort !== undefined) {
        const message = `Port ${fixedPort} is in use by another program. End it or choose another port.`;
        throw new PostgresError("port-taken", message, { cause: err });
      }
      if (attempt >= portAttemptsMax) {
        throw err;
      }
      preferred = undefined;
    }
  }
}

/** Retries while sessions of a killed server have not ended, during which a new server refuses to start. */
async function launchPastLeftovers(options: PostmasterOptions): Promise<ChildProcess> {
  const deadline = performance.now() + leftoverSessionsTimeoutMs;
  for (;;) {
    try {
      return await launchPostmaster(options);
    } catch (err) {
      if (!(err instanceof PostgresError && err.code === "in-use") || performance.now() > deadline) {
        throw err;
      }
      await delay(leftoverPollMs);
    }
  }
}

async function recallPort(home: string): Promise<number | undefined> {
  const port = Number(await readFile(join(home, "port"), "utf8").catch(() => ""));
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

async function rememberPort(home: string, port: number): Promise<void> {
  const path = join(home, "port");
  await writeFile(path, String(port)).catch((err: unknown) => {
    throw toFolderError(err, path);
  });
}
