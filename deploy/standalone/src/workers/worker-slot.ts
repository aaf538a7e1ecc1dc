import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { backoff } from "@gatehouse/async";
import type { ListeningSocket } from "@gatehouse/http";
import { workerFolderPrefix } from "./adopt-spills.ts";
import { closeSocket, LinkError, type WorkerStart } from "./process-link.ts";
import { watchWorker } from "./watch-worker.ts";
import { type Worker, WorkerProcess } from "./worker-process.ts";

/** First wait before a worker that ended soon after its start is replaced; doubled each time, up to the longest. */
const backoffMinMs = 250;
const backoffMaxMs = 10_000;
/** Run time after which an ended worker is replaced at once. */
const goodRunMs = 10_000;

/** Longest wait for a worker to learn that it alone holds the port; a busier one ends without answering the waiting connections. */
const handOverTimeoutMs = 1_000;

interface SlotOptions {
  /** From 1. */
  readonly number: number;
  /** Settings of every process of the slot, except its spill folder; called late, since the port may be known only then. */
  readonly startOf: () => Omit<WorkerStart, "spillFolder">;
  readonly spillFolder: string;
  /** Registers the handlers of a worker's questions. */
  readonly onOpened: (worker: Worker) => void;
  readonly onNotice: (message: string) => void;
  /** Longest wait for a stopping worker's calls in flight, milliseconds. */
  readonly drainMs: number;
  /** Creates a process; a {@link WorkerProcess} where absent. */
  readonly openProcess?: (() => Worker) | undefined;
}

interface Running {
  readonly worker: Worker;
  readonly sinceMs: number;
}

/**
 * The place of one worker, whose process may change. The primary keeps the listening socket, so that unaccepted connections wait
 * there for the next process.
 */
export class WorkerSlot {
  readonly #options: SlotOptions;
  readonly #stopping = new AbortController();
  #running: Running | undefined;
  #socket: ListeningSocket | undefined;
  #failures = 0;
  /** Number of the present process's spill folder. A process that ends by itself leaves it to its successor. */
  #folder = 1;
  /** Processes that end while a successor runs, with the folders that they still write. */
  readonly #draining = new Map<Worker, number>();
  #changing: Promise<unknown> = Promise.resolve();

  constructor(options: SlotOptions) {
    this.#options = options;
  }

  get worker(): Worker | undefined {
    return this.#running?.worker;
  }

  /** The present process, and those that still answer calls beside it. */
  get workers(): readonly Worker[] {
    const { worker } = this;
    return [...new Set([...(worker === undefined ? [] : [worker]), ...this.#draining.keys()])];
  }

  /** Starts the first process of the slot. @returns its port. @throws LinkError where it cannot start, or the slot stops. */
  async start(): Promise<number> {
    return await this.#exclusively(async () => await this.#open());
  }

  /** Replaces the present process, which continues until the other takes calls. @throws as start. */
  async replace(): Promise<void> {
    await this.#exclusively(async () => {
      const before = this.#running?.worker;
      const folder = this.#folder;
      if (before !== undefined) this.#letDrain(before);
      try {
        await this.#open();
      } catch (err) {
        // The present process continues, and its successor must not take the folder of the failed one.
        if (before !== undefined && this.#running?.worker === before) this.#draining.delete(before);
        if (before !== undefined && !this.#draining.has(before)) this.#folder = folder;
        throw err;
      }
      await before?.stop(this.#options.drainMs);
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#changing.catch(() => {});
    const worker = this.#running?.worker;
    this.#running = undefined;
    // If the primary held the socket to its end, the connections waiting in it would be reset.
    this.#letGoOfSocket();
    // A draining process may still listen, and may alone hold the socket then.
    const ending = new Set([...this.#draining.keys(), ...(worker === undefined ? [] : [worker])]);
    await Promise.all(
      [...ending].map(async ({ link }) => await link.ask("portIsYours", null, handOverTimeoutMs).catch(() => {})),
    );
    await Promise.all([...ending].map(async (each) => await each.stop(this.#options.drainMs)));
  }

  /** Chooses another folder for the successor of a process that still writes its own. */
  #letDrain(worker: Worker): void {
    if (this.#draining.has(worker)) return;
    this.#draining.set(worker, this.#folder);
    void worker.ended.then(() => this.#draining.delete(worker));
    const taken = new Set(this.#draining.values());
    for (this.#folder = 1; taken.has(this.#folder);) this.#folder += 1;
  }

  async #open(): Promise<number> {
    if (this.#stopping.signal.aborted) throw new LinkError("The product is stopping.");
    const { startOf, onOpened, number, spillFolder: folder, openProcess } = this.#options;
    const spillFolder = join(folder, `${workerFolderPrefix}${number}-${this.#folder}`);
    const worker = openProcess?.() ?? new WorkerProcess();
    onOpened(worker);
    worker.link.answer("replaceMe", async () => {
      // Its calls in flight continue beside the successor, which must not use its folder.
      if (this.#running?.worker === worker) this.#letDrain(worker);
      void this.#onEnd(worker, "an uncaught exception");
      return await Promise.resolve({ value: null });
    });
    try {
      const { value, socket } = await worker.start({ ...startOf(), spillFolder }, this.#socket);
      // The returned copy of a passed socket is another object for the same socket.
      if (this.#socket === undefined) this.#socket = socket;
      else closeSocket(socket);
      this.#running = { worker, sinceMs: performance.now() };
      void worker.ended.then(async (how) => await this.#onEnd(worker, how));
      void this.#watch(worker);
      return value.port;
    } catch (err) {
      await worker.stop(0);
      throw err;
    }
  }

  async #watch(worker: Worker): Promise<void> {
    if (await watchWorker(worker)) this.#options.onNotice("has not answered for 20 s, and is killed.");
  }

  async #onEnd(worker: Worker, how: string): Promise<void> {
    if (this.#running?.worker !== worker || this.#stopping.signal.aborted) return;
    const ranMs = performance.now() - this.#running.sinceMs;
    this.#running = undefined;
    this.#failures = ranMs >= goodRunMs ? 0 : this.#failures + 1;
    this.#options.onNotice(`has ended with ${how}; it is replaced.`);
    await this.#exclusively(async () => await this.#reopen()).catch(() => {});
  }

  /** Retries until it succeeds or the slot stops. */
  async #reopen(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted && this.#running === undefined) {
      // Connections must not wait for a process that may not come; those to other sockets reach the other workers.
      if (this.#failures > 1) this.#letGoOfSocket();
      const waitMs = this.#failures <= 1 ? 0 : backoff(this.#failures - 1, backoffMinMs, backoffMaxMs);
      await delay(waitMs, undefined, { signal }).catch(() => {});
      if (signal.aborted) return;
      try {
        await this.#open();
      } catch (err) {
        this.#failures += 1;
        this.#options.onNotice(`could not be replaced: ${err instanceof Error ? err.message : "unknown"}`);
      }
    }
  }

  #letGoOfSocket(): void {
    closeSocket(this.#socket);
    this.#socket = undefined;
  }

  async #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#changing;
    const current = (async () => {
      await before.catch(() => {});
      return await work();
    })();
    this.#changing = current.catch(() => {});
    return await current;
  }
}
