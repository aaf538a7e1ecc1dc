import { spawn, type ChildProcess } from "node:child_process";
import { mkdir, open, readFile, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Binaries } from "./binaries.ts";
import type { Home } from "./home.ts";
import { PostgresError, toFolderError, toStartError } from "./postgres-error.ts";
import { childrenOf, isAlive, readCommandLine, waitForEnd } from "./process-identity.ts";
import { serverEnvironment, toSpawnIdentity } from "./run-command.ts";
import { toServerArguments } from "./server-arguments.ts";

/** Options of one server process; `clusterDir` is its data folder, and `throwaway` turns off flushes to disk. */
export interface PostmasterOptions {
  readonly binaries: Binaries;
  readonly clusterDir: string;
  readonly home: Home;
  readonly logFile: string;
  readonly port: number;
  readonly throwaway: boolean;
  readonly connectionsMax: number | undefined;
  readonly onProgress: (message: string) => void;
}

const readyPollMs = 20;
/** Ample for the replay after an unclean shutdown, which max_wal_size bounds. */
const readyTimeoutMs = 120_000;
const slowStartMs = 3_000;
const fastStopTimeoutMs = 5_000;
const immediateStopTimeoutMs = 2_000;
const killTimeoutMs = 1_000;
const logSizeBytesMax = 8 * 1024 * 1024;
const logTailBytes = 16_384;

/**
 * Starts the server and resolves when it accepts connections. It has a separate session, so that a Ctrl-C does not reach it
 * before the product has drained. Errors as {@link toStartError}.
 */
export async function launchPostmaster(options: PostmasterOptions): Promise<ChildProcess> {
  const log = await openLog(options.logFile);
  try {
    const offset = (await log.stat()).size;
    const child = spawn(options.binaries.postgres, ["-D", options.clusterDir, ...toServerArguments(options)], {
      cwd: "/",
      env: serverEnvironment(),
      detached: true,
      stdio: ["ignore", log.fd, log.fd],
      ...toSpawnIdentity(options.home.user),
    });
    child.unref();
    const failure = await waitUntilReady(child, options);
    if (failure === undefined) {
      return child;
    }
    if (child.pid !== undefined) {
      await stopProcess(child.pid);
    }
    throw failure === "ended" ? toStartError(await readFrom(options.logFile, offset), options.clusterDir) : failure;
  } finally {
    await log.close();
  }
}

/**
 * Removes leftovers of an earlier run: stops a server that outlived its owner, and deletes a pid file that now refers to another
 * program, which Postgres would take for a server.
 */
export async function clearLeftovers(clusterDir: string, onProgress: (message: string) => void): Promise<void> {
  const pid = (await readPidFile(clusterDir))?.pid;
  if (pid === undefined || !(await isAlive(pid))) {
    return;
  }
  if (await isPostmasterOf(pid, clusterDir)) {
    onProgress(`A Postgres of an earlier run is still up (process ${pid}); stopping it.`);
    await stopProcess(pid);
    return;
  }
  await rm(join(clusterDir, "postmaster.pid"), { force: true });
}

/**
 * Stops a server: fast (sessions are ended, data is written), then immediately, then by force, with all its processes. A frozen
 * one (SIGSTOP) continues first, since it would get no other signal. Takes at most 8 s.
 * @returns whether it wrote its data; if not, its next start restores what was committed from its log
 */
export async function stopProcess(pid: number): Promise<boolean> {
  await signalServer(pid, "SIGCONT");
  sendSignal(pid, "SIGINT");
  if (await waitForEnd(pid, fastStopTimeoutMs)) return true;
  sendSignal(pid, "SIGQUIT");
  if (await waitForEnd(pid, immediateStopTimeoutMs)) return false;
  await signalServer(pid, "SIGKILL");
  await waitForEnd(pid, killTimeoutMs);
  return false;
}

/** Sends a signal to a server and to all its processes. */
export async function signalServer(postmaster: number, signal: NodeJS.Signals): Promise<void> {
  const children = await childrenOf(postmaster);
  // The postmaster first, so that it starts no further process meanwhile.
  sendSignal(postmaster, signal);
  for (const pid of new Set([...children, ...(await childrenOf(postmaster))])) sendSignal(pid, signal);
}

/** Sends a signal to a process that may have ended. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (err) {
    if (!(err instanceof Error && "code" in err && err.code === "ESRCH")) {
      throw err;
    }
  }
}

/** `undefined` when ready, `"ended"` when the process ended, else the error. */
async function waitUntilReady(
  child: ChildProcess,
  { clusterDir, onProgress }: PostmasterOptions,
): Promise<undefined | "ended" | PostgresError> {
  const ending = new AbortController();
  child.once("error", (err) => ending.abort(err));
  child.once("exit", () => ending.abort("ended"));
  const startedAt = performance.now();
  let hasAnnounced = false;
  while (!ending.signal.aborted && performance.now() - startedAt < readyTimeoutMs) {
    const found = await readPidFile(clusterDir);
    if (found?.pid === child.pid && found?.isReady === true) {
      return undefined;
    }
    if (!hasAnnounced && performance.now() - startedAt > slowStartMs) {
      hasAnnounced = true;
      onProgress("Postgres is recovering from an unclean shutdown.");
    }
    await delay(readyPollMs);
  }
  return toOutcome(ending.signal);
}

function toOutcome({ aborted, reason }: AbortSignal): "ended" | PostgresError {
  if (!aborted) {
    return new PostgresError("start-failed", `Postgres was not ready within ${readyTimeoutMs / 1000} s.`);
  }
  return reason instanceof Error
    ? new PostgresError("start-failed", `Postgres could not be run: ${reason.message}`, { cause: reason })
    : "ended";
}

/** postmaster.pid: the process id on line 1, and on line 8 a status that starts with "ready" once connections are accepted. */
async function readPidFile(
  clusterDir: string,
): Promise<{ readonly pid: number; readonly isReady: boolean } | undefined> {
  const text = await readFile(join(clusterDir, "postmaster.pid"), "utf8").catch(() => undefined);
  const lines = text?.split("\n") ?? [];
  const pid = Number.parseInt(lines[0] ?? "", 10);
  return pid > 0 ? { pid, isReady: (lines[7] ?? "").startsWith("ready") } : undefined;
}

async function isPostmasterOf(pid: number, clusterDir: string): Promise<boolean> {
  const commandLine = await readCommandLine(pid);
  return commandLine.includes("postgres") && commandLine.includes(`-D ${clusterDir} `);
}

/** Opens the log for appending. An oversized one is first renamed to `<name>.1`, replacing an earlier one. */
async function openLog(path: string): Promise<FileHandle> {
  try {
    await mkdir(dirname(path), { recursive: true });
    const size = await stat(path).then(
      (found) => found.size,
      () => 0,
    );
    if (size > logSizeBytesMax) {
      await rename(path, `${path}.1`);
    }
    return await open(path, "a", 0o600);
  } catch (err) {
    throw toFolderError(err, path);
  }
}

async function readFrom(path: string, offset: number): Promise<string> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    const start = Math.max(offset, size - logTailBytes);
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(logTailBytes), position: start });
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
