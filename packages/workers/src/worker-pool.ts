import { callCancelled, decodeErrorWire, GatewayError, internalError } from "@gatehouse/errors";
import { FairQueue } from "./fair-queue.ts";
import { type ThreadReport, WorkerThread } from "./worker-thread.ts";

/** Options of a {@link WorkerPool}; times in milliseconds. A task beyond the queue's bounds is refused as `unavailable`. */
export interface WorkerPoolOptions {
  /** Names the threads, and the work in errors: "token counting". */
  readonly name: string;
  /** URL of a module that exports `run`, a `Task`; see `taskModule`. */
  readonly module: URL;
  readonly threadsMax: number;
  /** Memory of one thread, MiB; only the task that exceeds it fails. Checked every {@link memoryCheckMs}. */
  readonly memoryMibMax: number;
  readonly queuedMax?: number;
  /** Waiting tasks of one tenant; a quarter of all where absent. */
  readonly queuedPerTenantMax?: number;
  /** Longest wait of a task for a thread that works for others. While the pool starts its only thread, tasks wait longer. */
  readonly waitMsMax?: number;
  /** Longest start of a thread; a start takes seconds where the machine is busy. */
  readonly startMsMax?: number;
  /** Time for which an idle thread is kept. */
  readonly idleMsMax?: number;
  /** Time for which the last thread is kept after each `prepare()`. */
  readonly preparedMsMax?: number;
}

/** Options of one task of a {@link WorkerPool}; a task beyond its deadline fails, and its thread is terminated. */
export interface RunOptions {
  /** Deadline of the work itself, from its start on a thread. */
  readonly deadlineMs: number;
  /** Owner of the work, such as a project; tenants take turns. */
  readonly tenant: string;
  readonly signal?: AbortSignal;
}

const queuedMaxDefault = 64;
const waitMsDefault = 5_000;
const startMsDefault = 15_000;
const idleMsDefault = 60_000;
const preparedMsDefault = 10 * 60_000;
const retryAfterSeconds = 1;
const memoryCheckMs = 25;
const bytesPerMib = 1_048_576;
/**
 * V8 ends a thread at its heap limit, but the whole process where one allocation exceeds the limit by over 16 MiB. So that limit
 * is far above the pool's, which is enforced by polling.
 */
const heapMibLimitMin = 2_048;

interface Job<Input, Output> {
  readonly input: Input;
  readonly deadlineMs: number;
  readonly resolve: (output: Output) => void;
  readonly reject: (err: GatewayError) => void;
}

interface Slot<Input, Output> {
  readonly thread: WorkerThread;
  state: "starting" | "idle" | "busy" | "ending";
  /** Whether it has loaded its module. */
  hasStarted: boolean;
  job: Job<Input, Output> | undefined;
  /** Fires at the end of the time for the start, for the work, or for which an idle thread is kept. */
  timer: NodeJS.Timeout | undefined;
  memoryWatch: NodeJS.Timeout | undefined;
}

/**
 * Runs a task module on worker threads. A deadline terminates the thread, and the next task starts another. A task whose signal
 * aborts while it runs is abandoned and runs on to its end or deadline, so that callers that come and go cannot make the pool
 * start threads all the time.
 */
export class WorkerPool<Input, Output> {
  readonly #options: WorkerPoolOptions;
  readonly #slots = new Set<Slot<Input, Output>>();
  readonly #queue: FairQueue<Job<Input, Output>>;
  #isClosed = false;
  /** Whether a thread has been asked for since the last one began to be idle. */
  #isWanted = false;

  constructor(options: WorkerPoolOptions) {
    this.#options = options;
    const { queuedMax: entriesMax = queuedMaxDefault } = options;
    const { queuedPerTenantMax: entriesPerTenantMax = Math.ceil(entriesMax / 4) } = options;
    this.#queue = new FairQueue({ entriesMax, entriesPerTenantMax });
  }

  get load(): { readonly threads: number; readonly queued: number } {
    return { threads: this.#slots.size, queued: this.#queue.size };
  }

  /**
   * Starts a thread before a task needs it, if there is none, and keeps one for {@link WorkerPoolOptions.preparedMsMax}, replaced
   * where a task's bound ends it. A failed start is reported by the task that starts the next.
   */
  prepare(): void {
    this.#isWanted = true;
    if (!this.#isClosed && this.#slots.size === 0) this.#startThread();
  }

  /**
   * Runs one task.
   * @throws GatewayError `unavailable` where the queue is full, the wait too long or the pool closed; `deadline_exceeded` after
   * the deadline; `cancelled` by the signal; `internal` for a task that failed, or whose thread ended, e.g. for lack of memory;
   * and each GatewayError of the task.
   */
  async run(input: Input, { deadlineMs, tenant, signal }: RunOptions): Promise<Output> {
    if (signal?.aborted === true) throw callCancelled(signal.reason);
    const { promise, resolve, reject } = Promise.withResolvers<Output>();
    const job = { input, deadlineMs, resolve, reject };
    if (this.#isClosed || !this.#queue.add(tenant, job)) throw this.#unavailable("Too many requests wait");
    const { waitMsMax = waitMsDefault, startMsMax = startMsDefault } = this.#options;
    let startingMsLeft = startMsMax;
    const wait = setInterval(() => {
      if (this.#isStarting() && startingMsLeft > 0) startingMsLeft -= waitMsMax;
      else if (this.#queue.remove(tenant, job)) reject(this.#unavailable("The wait was too long"));
    }, waitMsMax);
    const onAbort = () => {
      this.#queue.remove(tenant, job);
      reject(callCancelled(signal?.reason));
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#dispatch();
    try {
      return await promise;
    } finally {
      clearInterval(wait);
      signal?.removeEventListener("abort", onAbort);
    }
  }

  /** Refuses waiting tasks and ends running ones. */
  close(): void {
    this.#isClosed = true;
    const closing = this.#unavailable("The service is stopping");
    for (let job = this.#queue.take(); job !== undefined; job = this.#queue.take()) job.reject(closing);
    for (const slot of this.#slots) this.#end(slot, closing);
  }

  /** Whether tasks wait only because no thread has loaded its module yet. */
  #isStarting(): boolean {
    return this.#slots.size > 0 && [...this.#slots].every(({ state }) => state === "starting");
  }

  #dispatch(): void {
    let starting = 0;
    for (const slot of this.#slots) {
      if (slot.state === "idle") this.#startWork(slot);
      else if (slot.state === "starting") starting += 1;
    }
    if (this.#queue.size > starting && this.#slots.size < this.#options.threadsMax) this.#startThread();
  }

  #startThread(): void {
    const { name, module, memoryMibMax, startMsMax = startMsDefault } = this.#options;
    const heapMibLimit = Math.max(heapMibLimitMin, 2 * memoryMibMax);
    const slot: Slot<Input, Output> = {
      thread: new WorkerThread(name, module, heapMibLimit, {
        onReport: (report) => this.#take(slot, report),
        onExit: (cause) => this.#drop(slot, cause),
      }),
      state: "starting",
      hasStarted: false,
      job: undefined,
      timer: setTimeout(() => {
        this.#queue
          .take()
          ?.reject(internalError(new Error(`A thread for ${name} took more than ${startMsMax} ms to start.`)));
        this.#end(slot, undefined);
      }, startMsMax),
      memoryWatch: undefined,
    };
    this.#slots.add(slot);
  }

  #startWork(slot: Slot<Input, Output>): void {
    const job = this.#queue.take();
    if (job === undefined) return;
    clearTimeout(slot.timer);
    try {
      slot.thread.post(job.input);
    } catch (cause) {
      job.reject(internalError(cause));
      this.#rest(slot);
      return;
    }
    slot.state = "busy";
    slot.job = job;
    slot.timer = setTimeout(() => this.#end(slot, this.#late(job)), job.deadlineMs);
    this.#watchMemory(slot, job);
  }

  #watchMemory(slot: Slot<Input, Output>, job: Job<Input, Output>): void {
    const { memoryMibMax } = this.#options;
    const check = async () => {
      const usedBytes = await slot.thread.usedBytes();
      if (slot.job !== job || slot.state === "ending") return;
      if (usedBytes <= memoryMibMax * bytesPerMib) this.#watchMemory(slot, job);
      else this.#end(slot, internalError(new Error(`The task used more than ${memoryMibMax} MiB of memory.`)));
    };
    slot.memoryWatch = setTimeout(() => void check(), memoryCheckMs);
  }

  #take(slot: Slot<Input, Output>, report: ThreadReport): void {
    if (slot.state === "ending") return;
    const { job } = slot;
    slot.job = undefined;
    if (report.kind === "done") job?.resolve(report.output as Output);
    else if (report.kind === "refused") job?.reject(decodeErrorWire(report.wire) ?? internalError(report));
    else if (report.kind === "failed") job?.reject(internalError(Object.assign(new Error(report.message), report)));
    this.#rest(slot);
    this.#dispatch();
  }

  #rest(slot: Slot<Input, Output>): void {
    stopTimers(slot);
    slot.state = "idle";
    slot.hasStarted = true;
    slot.thread.letGo();
    slot.timer = setTimeout(() => this.#retire(slot), this.#options.idleMsMax ?? idleMsDefault);
    slot.timer.unref();
  }

  /** Ends a thread that has been idle, unless it is the last one and wanted. */
  #retire(slot: Slot<Input, Output>): void {
    const isLast = [...this.#slots].every((other) => other === slot || other.state === "ending");
    if (!isLast || !this.#isWanted) return this.#end(slot, undefined);
    this.#isWanted = false;
    slot.timer = setTimeout(() => this.#retire(slot), this.#options.preparedMsMax ?? preparedMsDefault);
    slot.timer.unref();
  }

  /** Terminates a thread; its task fails with `err`. */
  #end(slot: Slot<Input, Output>, err: GatewayError | undefined): void {
    stopTimers(slot);
    slot.state = "ending";
    if (err !== undefined) slot.job?.reject(err);
    slot.thread.end();
  }

  /** Removes an ended thread. One that could not start fails a task, so that its cause is reported. */
  #drop(slot: Slot<Input, Output>, cause: unknown): void {
    stopTimers(slot);
    this.#slots.delete(slot);
    const failed = slot.state === "starting" ? this.#queue.take() : slot.job;
    failed?.reject(internalError(cause));
    this.#dispatch();
    // A module that cannot be loaded is tried again by the next task alone.
    if (slot.hasStarted && this.#isWanted) this.prepare();
  }

  #unavailable(reason: string): GatewayError {
    return new GatewayError("unavailable", `${reason} for ${this.#options.name}; try again shortly.`, {
      retryAfterSeconds,
    });
  }

  #late({ deadlineMs }: Job<Input, Output>): GatewayError {
    return new GatewayError("deadline_exceeded", `The ${this.#options.name} took more than ${deadlineMs} ms.`);
  }
}

function stopTimers({ timer, memoryWatch }: Pick<Slot<unknown, unknown>, "timer" | "memoryWatch">): void {
  clearTimeout(timer);
  clearTimeout(memoryWatch);
}
