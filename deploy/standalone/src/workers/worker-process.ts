import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { ListeningSocket } from "@gatehouse/http";
import { type Answer, ProcessLink, type WorkerStart } from "./process-link.ts";

/** From the birth of a process until it takes calls: one that is late on a busy machine is no failure. */
const startTimeoutMs = 60_000;
/** From SIGTERM to SIGKILL, beyond the time that calls in flight may take. */
const stopMarginMs = 5_000;

const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
const script = fileURLToPath(new URL(`../worker.${extension}`, import.meta.url));

/** One process that takes calls, from its birth to its end. */
export class WorkerProcess {
  readonly link: ProcessLink;
  readonly #child: ChildProcess;
  /** How it ended: a signal or an exit code. */
  readonly ended: Promise<string>;

  constructor() {
    // In a separate session: a Ctrl-C on the terminal comes to the primary alone, which ends everything in order.
    this.#child = fork(script, { detached: true, stdio: ["ignore", "inherit", "inherit", "ipc"] });
    this.link = new ProcessLink(this.#child);
    this.ended = this.#waitForEnd();
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** @throws LinkError where it cannot. */
  async start(start: WorkerStart, socket: ListeningSocket | undefined): Promise<Answer<"start">> {
    return await this.link.ask("start", start, { timeoutMs: startTimeoutMs, socket });
  }

  /** Lets calls in flight finish, within the bound. */
  async stop(drainMs: number): Promise<void> {
    this.#child.kill("SIGTERM");
    const force = setTimeout(() => this.#child.kill("SIGKILL"), drainMs + stopMarginMs);
    await this.ended;
    clearTimeout(force);
  }

  async #waitForEnd(): Promise<string> {
    const [code, signal] = (await once(this.#child, "exit")) as [number | null, string | null];
    return signal ?? `code ${code}`;
  }
}
