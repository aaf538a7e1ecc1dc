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
  /** A listening socket that the process takes connections from, and that outlives it; see `holdPort`. */
  readonly listenFd?: number;
  readonly onLine: (line: string) => void;
  /** Called with one sentence when it has ended by itself, and when it is started again. */
  readonly onNotice: (message: string) => void;
}

/** Bounds of starting a process again: this long after its end, then twice as long, up to the most. */
const backoffMinMs = 250;
const backoffMaxMs = 10_000;
/** A process that ran for this long has had a good start: the next wait is the shortest. */
const goodRunMs = 30_000;
/** From SIGTERM to SIGKILL: what a service takes to drain, and a little more. */
const stopTimeoutMs = 12_000;

/** The socket is for the process that is started, whichever one a manager of ours has named to us. */
const ownSocket = { LISTEN_FDS: "1", LISTEN_PID: undefined };

const endWithParent = new URL(
  import.meta.url.endsWith(".ts") ? "./end-with-parent.ts" : "./end-with-parent.js",
  import.meta.url,
);

/** A service's process, which is started again when it ends by itself. */
export class SupervisedProcess {
  readonly #options: ProcessOptions;
  readonly #stopping = new AbortController();
  #child: ChildProcess | undefined;
  #running: Promise<void> | undefined;
  #failures = 0;

  constructor(options: ProcessOptions) {
    this.#options = options;
  }

  /** Number of times in a row that it has ended soon after its start, or could not be started. */
  get failures(): number {
    return this.#failures;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends it with SIGTERM, or with SIGKILL where that takes too long; it is not started again. */
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

  /** @returns how it ended, or why the system gave no process. */
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
    // A separate session: a Ctrl-C on the terminal comes to the parent alone, which ends everything in order.
    const child = spawn(process.execPath, ["--import", endWithParent.href, script, ...args], {
      cwd: workingFolder,
      env,
      // The file descriptor 3 is the socket's by convention (sd_listen_fds(3)).
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
      // A process that lives has an end to wait for; one that was never made has none.
      if (child.pid === undefined) resolve(notStarted(err));
    });
  });
}

function notStarted(err: unknown): string {
  return `could not be started (${codeOf(err) ?? String(err)})`;
}
