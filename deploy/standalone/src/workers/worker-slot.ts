import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { backoff } from "@gatehouse/async";
import type { ListeningSocket } from "@gatehouse/http";
import { workerFolderPrefix } from "./adopt-spills.ts";
import { closeSocket, LinkError, type WorkerStart } from "./process-link.ts";
import { type Worker, WorkerProcess } from "./worker-process.ts";

/** Waits before a worker that ended soon after its start is replaced: this long, then twice as long, up to the most. */
const backoffMinMs = 250;
const backoffMaxMs = 10_000;
/** A worker that ran for this long had a good start: it is replaced at once. */
const goodRunMs = 10_000;

/** A worker that is too busy to hear that the port is its alone ends without emptying it. */
const handOverTimeoutMs = 1_000;

interface SlotOptions {
  /** From 1. */
  readonly number: number;
  /** Settings of every process of the slot, but for where its rows wait on disk; the port may be known only then. */
  readonly startOf: () => Omit<WorkerStart, "spillFolder">;
  /** The product's folder for rows that wait on disk. */
  readonly spillFolder: string;
  /** Makes a process answer what workers ask. */
  readonly onOpened: (worker: Worker) => void;
  readonly onNotice: (message: string) => void;
  /** Longest wait for a worker's calls in flight when it is to end, milliseconds. */
  readonly drainMs: number;
  /** Makes a process; a {@link WorkerProcess} where absent. */
  readonly openProcess?: (() => Worker) | undefined;
}

interface Running {
  readonly worker: Worker;
  readonly sinceMs: number;
}

/**
 * The place of one worker, whose process may change. The primary keeps the socket that the worker listens on, so that connections
 * that no process has accepted yet wait there for the next one.
 */
export class WorkerSlot {
  readonly #options: SlotOptions;
  readonly #stopping = new AbortController();
  #running: Running | undefined;
  #socket: ListeningSocket | undefined;
  #failures = 0;
  /** Number of the folder where rows of the present process wait. One that ends by itself leaves it to its successor. */
  #folder = 1;
  /** Processes that end while a successor runs, and the folders that they still write. */
  readonly #draining = new Map<Worker, number>();
  #changing: Promise<unknown> = Promise.resolve();

  constructor(options: SlotOptions) {
    this.#options = options;
  }

  get worker(): Worker | undefined {
    return this.#running?.worker;
  }

  /** The first process of the slot. @returns its port. @throws LinkError where it cannot start, or the slot stops. */
  async start(): Promise<number> {
    return await this.#exclusively(async () => await this.#open());
  }

  /** Puts another process in the place of the present one, which goes on until the other takes calls. @throws as start. */
  async replace(): Promise<void> {
    await this.#exclusively(async () => {
      const before = this.#running?.worker;
      const folder = this.#folder;
      if (before !== undefined) this.#letDrain(before);
      try {
        await this.#open();
      } catch (err) {
        // The present process goes on, and what follows it must not take the folder of the one that failed.
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
    // A socket that the primary still held would be reset with all that waits in it when the primary ends.
    this.#letGoOfSocket();
    // One that drains may listen still, and be the only one that holds the socket then.
    const ending = new Set([...this.#draining.keys(), ...(worker === undefined ? [] : [worker])]);
    await Promise.all(
      [...ending].map(async ({ link }) => await link.ask("portIsYours", null, handOverTimeoutMs).catch(() => {})),
    );
    await Promise.all([...ending].map(async (each) => await each.stop(this.#options.drainMs)));
  }

  /** Takes another folder for the successor of a process that still writes its own. */
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
      // Its calls in flight go on beside the successor, which must not touch its folder.
      if (this.#running?.worker === worker) this.#letDrain(worker);
      void this.#onEnd(worker, "an exception that nothing has caught");
      return await Promise.resolve({ value: null });
    });
    try {
      const { value, socket } = await worker.start({ ...startOf(), spillFolder }, this.#socket);
      // Its own copy of the one that it was given is another object for the same socket.
      if (this.#socket === undefined) this.#socket = socket;
      else closeSocket(socket);
      this.#running = { worker, sinceMs: performance.now() };
      void worker.ended.then(async (how) => await this.#onEnd(worker, how));
      return value.port;
    } catch (err) {
      await worker.stop(0);
      throw err;
    }
  }

  async #onEnd(worker: Worker, how: string): Promise<void> {
    if (this.#running?.worker !== worker || this.#stopping.signal.aborted) return;
    const ranMs = performance.now() - this.#running.sinceMs;
    this.#running = undefined;
    this.#failures = ranMs >= goodRunMs ? 0 : this.#failures + 1;
    this.#options.onNotice(`has ended with ${how}; it is replaced.`);
    await this.#exclusively(async () => await this.#reopen()).catch(() => {});
  }

  /** Tries until it succeeds or the slot stops. */
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
