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

/** Settings of {@link startPostgres}. */
export interface StartPostgresOptions {
  /** Folder for everything the server keeps. Made if absent; its parents must be passable for the user that Postgres runs as. */
  readonly dataDir: string;
  /** The server's log. Appended to; set aside at start when over 8 MiB. Holds no statement and no value of a row. */
  readonly logFile: string;
  /** Use exactly this port, or fail with `port-taken`. Absent: the port of the last start if it is free, else any free one. */
  readonly port?: number;
  /** For tests: no write is ever forced to the disk. Fast, and a power cut loses the data. */
  readonly throwaway?: boolean;
  /** Concurrent sessions that the server accepts: 200 where absent. */
  readonly connectionsMax?: number;
  /** Called with one sentence about each step that takes time or is out of the ordinary. */
  readonly onProgress?: (message: string) => void;
  /** Called once when the server ends without {@link LocalPostgres.stop} having been called. */
  readonly onUnexpectedExit?: () => void;
  /** Only for root: where data and programs go that the server's user cannot reach. Default `/var/lib/gatehouse`. */
  readonly fallbackRoot?: string;
}

/** A running local server. */
export interface LocalPostgres {
  /** Connection string of the superuser to the database `gatehouse`. Holds the password: never log it. */
  readonly url: string;
  readonly port: number;
  /** Folder of the data: the `dataDir` that was given, or another one where the server's user could not enter it. */
  readonly dataDir: string;
  /** The data folder was created by this start. */
  readonly startedFresh: boolean;
  /** Ends all sessions and the server, within 8 s. Safe to call twice. */
  stop(): Promise<void>;
}

type LaunchOptions = Omit<PostmasterOptions, "port"> & { readonly port: number | undefined };

const defaultFallbackRoot = "/var/lib/gatehouse";
const portAttemptsMax = 5;
/** Longest time in which the sessions of a killed server notice that it is gone. */
const leftoverSessionsTimeoutMs = 15_000;
const leftoverPollMs = 100;

/**
 * Runs a real Postgres on 127.0.0.1 out of the npm package of this system: creates the data at first use, repairs what a crash
 * left behind, and resolves when the server takes connections. As root the server runs as `postgres` or `nobody`.
 * The server ends with this process, except when that is killed with SIGKILL; then the next start ends it.
 * Throws {@link PostgresError}, whose message tells the operator what to do.
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
function superviseServer(child: ChildProcess, { release, onUnexpectedExit }: Started): () => Promise<void> {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null) {
    throw new PostgresError("start-failed", "Postgres ended right after it was ready.");
  }
  let stopping: Promise<void> | undefined;
  // The last chance when this process ends without stop(): a signal needs no waiting.
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
      await stopProcess(pid);
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

/** Sessions of a server that was killed end by themselves a moment later; until then a new one refuses to start. */
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
