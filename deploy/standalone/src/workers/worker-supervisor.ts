import type { EventTransport } from "@gatehouse/events";
import type { Readiness } from "@gatehouse/service";
import { joinMetrics, type MetricsOfProcess } from "./join-metrics.ts";
import type { Questions, WorkerStart } from "./process-link.ts";
import type { Worker } from "./worker-process.ts";
import { WorkerSlot } from "./worker-slot.ts";

/**
 * Longest wait for a worker's readiness: longer than a worker waits for its parts (`nestedReportTimeoutMs`), so that the part that
 * hangs is named rather than the worker, and within the second in which `/readyz` answers.
 */
const readinessTimeoutMs = 980;
const metricsTimeoutMs = 2_000;
/** Longest wait for a worker's answer to another process. */
const siblingTimeoutMs = 500;

interface WorkerSupervisorOptions {
  readonly count: number;
  /** Settings of every process; port 0 is chosen by the first of them. */
  readonly start: Omit<WorkerStart, "spillFolder">;
  readonly spillFolder: string;
  readonly drainMs: number;
  /** Receives the messages that workers publish. */
  readonly events: EventTransport;
  /** Called when an event was recorded in a service's outbox. */
  readonly wake: (service: string) => void;
  readonly ownMetrics: () => Promise<readonly object[]>;
  readonly onNotice: (message: string) => void;
  /** Creates a process; absent: one of the product. */
  readonly openProcess?: () => Worker;
}

/** The product's worker processes, which share its port. */
export class WorkerSupervisor {
  readonly #options: WorkerSupervisorOptions;
  readonly #slots: readonly WorkerSlot[];
  #port: number;
  #restarting: Promise<void> | undefined;
  #isStopping = false;

  constructor(options: WorkerSupervisorOptions) {
    const { count, start, spillFolder, drainMs, onNotice, openProcess } = options;
    this.#options = options;
    this.#port = start.port;
    this.#slots = Array.from({ length: count }, (_, at) => {
      const number = at + 1;
      return new WorkerSlot({
        number,
        spillFolder,
        drainMs,
        startOf: () => ({ ...start, port: this.#port }),
        onOpened: (worker) => this.#answer(worker),
        openProcess,
        onNotice: (message) => onNotice(`Worker ${number} ${message}`),
      });
    });
  }

  get port(): number {
    return this.#port;
  }

  /** @throws LinkError where one cannot start. */
  async start(): Promise<void> {
    const [first, ...others] = this.#slots;
    // The first process chooses the port where none is set.
    if (this.#port === 0 && first !== undefined) this.#port = await first.start();
    else others.unshift(...(first === undefined ? [] : [first]));
    await Promise.all(others.map(async (slot) => await slot.start()));
  }

  /** Replaces the processes one after another; each continues until its successor takes calls. One round at a time. */
  async restart(): Promise<void> {
    this.#restarting ??= this.#replaceAll().finally(() => (this.#restarting = undefined));
    await this.#restarting;
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(this.#slots.map(async (slot) => await slot.stop()));
  }

  /** Ready while any worker takes calls; the others are named. */
  async readiness(): Promise<Readiness> {
    const states = await Promise.all(this.#slots.map(async ({ worker }) => await readinessOf(worker)));
    const problems = states.flatMap((state, at) => state.problems.map((problem) => `worker ${at + 1}: ${problem}`));
    return { ready: states.some(({ ready }) => ready), problems };
  }

  /** Metrics of all processes, each with its label. */
  async metrics(): Promise<string> {
    const ofWorkers = this.#slots.map(async ({ worker }, at): Promise<MetricsOfProcess> => {
      const process = `worker-${at + 1}`;
      const asked = await worker?.link.ask("metrics", null, metricsTimeoutMs).catch(() => undefined);
      return { process, metrics: asked?.value ?? [] };
    });
    const own = { process: "primary", metrics: await this.#options.ownMetrics() };
    return await joinMetrics([own, ...(await Promise.all(ofWorkers))]);
  }

  /** Asks the workers for one of them or for the primary, also those that drain. Leaves out those that fail or are late. */
  async askSiblings(question: Questions["siblingAsks"]["question"], asking?: Worker): Promise<readonly unknown[]> {
    const asked = this.#slots
      .flatMap((slot) => slot.workers)
      .filter((worker) => worker !== asking)
      .map(async ({ link }) => {
        const answer = await link.ask("siblingAsks", question, siblingTimeoutMs).catch(() => undefined);
        return answer === undefined ? [] : [answer.value.value];
      });
    return (await Promise.all(asked)).flat();
  }

  async #replaceAll(): Promise<void> {
    const { onNotice } = this.#options;
    if (this.#isStopping) return;
    onNotice(`The ${this.#slots.length} workers are replaced, one after the other.`);
    for (const [at, slot] of this.#slots.entries()) {
      if (this.#isStopping) return;
      try {
        await slot.replace();
      } catch (err) {
        if (this.#isStopping) return;
        const why = err instanceof Error ? err.message : "unknown";
        onNotice(`Worker ${at + 1} and those after it keep running: its successor could not start (${why}).`);
        return;
      }
    }
    onNotice("All workers are replaced.");
  }

  #answer(worker: Worker): void {
    const { link } = worker;
    const { events, wake } = this.#options;
    link.answer("publish", async ({ stream, messages }) => {
      await events.publish(stream, messages);
      return { value: null };
    });
    link.answer("wake", async (service) => {
      wake(service);
      return await Promise.resolve({ value: null });
    });
    link.answer("askSiblings", async (question) => ({ value: await this.askSiblings(question, worker) }));
    link.answer("allMetrics", async () => ({ value: await this.metrics() }));
  }
}

async function readinessOf(worker: Worker | undefined): Promise<Readiness> {
  if (worker === undefined) return { ready: false, problems: ["not running"] };
  try {
    return (await worker.link.ask("readiness", null, readinessTimeoutMs)).value;
  } catch {
    return { ready: false, problems: [`no answer within ${readinessTimeoutMs} ms`] };
  }
}
