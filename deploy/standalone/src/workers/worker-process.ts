import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { ListeningSocket } from "@gatehouse/http";
import { type Answer, LinkError, ProcessLink, type WorkerStart } from "./process-link.ts";

/** Longest start of a process until it takes calls, with room for a busy machine. */
const startTimeoutMs = 60_000;
/** From SIGTERM to SIGKILL, in addition to the time for calls in flight. */
const stopMarginMs = 5_000;

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
const script = fileURLToPath(new URL(`../worker.${extension}`, import.meta.url));

/** A process, as seen by its slot of the supervisor. */
export type Worker = Pick<WorkerProcess, keyof WorkerProcess>;

/** One process that takes calls, from its creation to its end. */
export class WorkerProcess {
  readonly link: ProcessLink;
  readonly #child: ChildProcess;
  /** Reason why it ended: a signal, an exit code, or why it could not be created. */
  readonly ended: Promise<string>;
  /** Rejects where the process cannot be created, e.g. when memory is short. */
  readonly #unborn: Promise<never>;

  constructor() {
    // In a separate session: a Ctrl-C on the terminal reaches the primary alone, which stops everything in order.
    this.#child = fork(script, { detached: true, stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.link = new ProcessLink(this.#child);
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    this.#unborn = promise;
    this.ended = this.#waitForEnd(reject);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** @throws LinkError where it cannot. */
  async start(start: WorkerStart, socket: ListeningSocket | undefined): Promise<Answer<"start">> {
    return await Promise.race([this.link.ask("start", start, startTimeoutMs, socket), this.#unborn]);
  }

  /** Lets calls in flight finish, within the bound. */
  async stop(drainMs: number): Promise<void> {
    this.#child.kill("SIGTERM");
    const force = setTimeout(() => this.#child.kill("SIGKILL"), drainMs + stopMarginMs);
    await this.ended;
    clearTimeout(force);
  }

  /** Ends it at once, even if it is frozen. */
  readonly kill = (): void => void this.#child.kill("SIGKILL");

  async #waitForEnd(onUnborn: (err: LinkError) => void): Promise<string> {
    return await new Promise((resolve) => {
      this.#child.once("exit", (code, signal) => resolve(signal ?? `code ${code}`));
      this.#child.on("error", ({ message }) => {
        // A running process has an exit to wait for; one that was never created has none.
        if (this.pid !== undefined) return;
        onUnborn(new LinkError(`The process could not be started: ${message}`));
        resolve(message);
      });
    });
  }
}
