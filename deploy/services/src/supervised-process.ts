import { type ChildProcess, spawn } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { backoff } from "@gatehouse/async";
import { codeOf } from "@gatehouse/errors";
import { createLineSplitter } from "./log-view.ts";

interface ProcessOptions {
  /** Absolute path of the program's script. */
  readonly script: string;
  readonly args?: readonly string[];
  readonly workingFolder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Listening socket of the process, which outlives it; see `holdPort`. */
  readonly listenFd?: number;
  readonly onLine: (line: string) => void;
  /** Called with one sentence when the process has ended by itself, and when it is restarted. */
  readonly onNotice: (message: string) => void;
}

/** First wait before a restart; doubled each time, up to the longest. */
const backoffMinMs = 250;
const backoffMaxMs = 10_000;
/** Run time after which the next wait is the shortest again. */
const goodRunMs = 30_000;
/** From SIGTERM to SIGKILL: the time that a service takes to drain, and a margin. */
const stopTimeoutMs = 12_000;

/** Passes the socket on to the started process, and not to the one that a service manager named to us. */
const ownSocket = { LISTEN_FDS: "1", LISTEN_PID: undefined };

const endWithParent = new URL(
  import.meta.url.endsWith(".ts") ? "./end-with-parent.ts" : "./end-with-parent.js",
  import.meta.url,
);

/** A service's process, restarted when it ends by itself. */
export class SupervisedProcess {
  readonly #options: ProcessOptions;
  readonly #stopping = new AbortController();
  #child: ChildProcess | undefined;
  #running: Promise<void> | undefined;
  #failures = 0;

  constructor(options: ProcessOptions) {
    this.#options = options;
  }

  /** Consecutive times that it ended soon after its start, or could not be started. */
  get failures(): number {
    return this.#failures;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Stops it with SIGTERM, or with SIGKILL where that takes too long, without a restart. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const child = this.#child;
    child?.kill("SIGTERM");
    const force = setTimeout(() => child?.kill("SIGKILL"), stopTimeoutMs);
    await this.#running;
    clearTimeout(force);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const startedAt = performance.now();
      const how = await this.#runOnce();
      if (signal.aborted) return;
      this.#failures = performance.now() - startedAt >= goodRunMs ? 1 : this.#failures + 1;
      const waitMs = backoff(this.#failures, backoffMinMs, backoffMaxMs);
      this.#options.onNotice(`${how}; it is started again in ${waitMs} ms.`);
      await delay(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** @returns how it ended, or why it could not be started. */
  async #runOnce(): Promise<string> {
    try {
      const child = this.#spawn();
      this.#child = child;
      return await endOf(child);
    } catch (err) {
      return notStarted(err);
    }
  }

  #spawn(): ChildProcess {
    const { script, args = [], workingFolder, onLine, listenFd } = this.#options;
    const env = listenFd === undefined ? this.#options.env : { ...this.#options.env, ...ownSocket };
    // A separate session: a Ctrl-C on the terminal reaches the parent alone, which stops everything in order.
    const child = spawn(process.execPath, ["--import", endWithParent.href, script, ...args], {
      cwd: workingFolder,
      env,
      // File descriptor 3 is the socket's by convention (sd_listen_fds(3)).
      stdio: ["ignore", "pipe", "pipe", ...(listenFd === undefined ? [] : [listenFd]), "ipc"],
      detached: true,
    });
    child.stdout?.on("data", createLineSplitter(onLine));
    child.stderr?.on("data", createLineSplitter(onLine));
    return child;
  }
}

async function endOf(child: ChildProcess): Promise<string> {
  return await new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve(`has ended with ${signal ?? `code ${code}`}`));
    child.on("error", (err) => {
      // A running process has an exit to wait for; one that was never created has none.
      if (child.pid === undefined) resolve(notStarted(err));
    });
  });
}

function notStarted(err: unknown): string {
  return `could not be started (${codeOf(err) ?? String(err)})`;
}
