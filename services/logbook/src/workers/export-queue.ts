import { backoff, pause } from "@gatehouse/async";
import type { StreamMessage } from "@gatehouse/events";
import type { Part } from "@gatehouse/service";
import type { Logger } from "@gatehouse/telemetry";
import type { LogExport } from "../clients/log-export.ts";
import { countEntries } from "../domain/otlp-records.ts";

interface ExportQueueOptions {
  readonly logExport: Pick<LogExport, "send" | "failure">;
  /** The beginning of the oldest day that is kept. */
  readonly since: () => Date;
  /** Takes the number of entries that are not sent. */
  readonly onDropped: (entries: number) => void;
  readonly log: Logger;
  /** Longest text of all waiting messages together, characters. */
  readonly charactersMax?: number;
  /** Milliseconds of a monotonic clock; for tests. */
  readonly now?: () => number;
}

/** Longest text of all waiting messages, some 60,000 entries; newer messages beyond it are dropped. */
const charactersMaxDefault = 32 * 1024 * 1024;
/** Messages of one request, as many as a consumer takes off the broker at once. */
const batchSizeMax = 16;
/** Time after the stop in which requests may still begin. */
const stopTimeoutMs = 2_000;

/** Sends to the collector what is stored already: in memory and bounded, so that storing never waits for a collector. */
export class ExportQueue {
  readonly #options: ExportQueueOptions;
  readonly #stopping = new AbortController();
  #waiting: StreamMessage[] = [];
  #characters = 0;
  #sending: Promise<void> | undefined;
  #isDropping = false;
  readonly #now: () => number;
  /** On the clock of {@link ExportQueueOptions.now}. */
  #stopBy = Infinity;

  constructor(options: ExportQueueOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  readonly part: Part = {
    name: "log export",
    notices: () => {
      const { failure } = this.#options.logExport;
      if (failure === undefined) return [];
      return [`log export: entries ${this.#isDropping ? "are dropped" : "wait in memory"}, since ${failure}`];
    },
    stop: async () => await this.#stop(),
  };

  /** Takes messages over; those beyond the bound are dropped and counted. */
  offer(messages: readonly StreamMessage[]): void {
    const { charactersMax = charactersMaxDefault } = this.#options;
    for (const message of messages) {
      if (this.#characters + message.body.length > charactersMax) this.#drop([message]);
      else {
        this.#characters += message.body.length;
        this.#waiting.push(message);
      }
    }
    this.#sending ??= this.#send().finally(() => (this.#sending = undefined));
  }

  /** Until nothing waits; when the service stops, until the first failure. */
  async #send(): Promise<void> {
    const { logExport, since } = this.#options;
    for (let failures = 0; this.#waiting.length > 0 && !this.#isOver;) {
      const batch = this.#waiting.slice(0, batchSizeMax);
      try {
        await logExport.send(batch, since());
        this.#forget(batch);
        failures = 0;
        this.#isDropping = false;
      } catch (err) {
        failures += 1;
        if (failures === 1) this.#options.log.warn({ err }, "The gateway log could not be sent; trying again.");
        if (this.#stopping.signal.aborted) return;
        await pause(backoff(failures), this.#stopping.signal);
      }
    }
  }

  async #stop(): Promise<void> {
    this.#stopBy = this.#now() + stopTimeoutMs;
    this.#stopping.abort();
    await this.#sending;
    this.#drop(this.#waiting);
    this.#forget(this.#waiting);
  }

  get #isOver(): boolean {
    return this.#now() > this.#stopBy;
  }

  #forget(batch: readonly StreamMessage[]): void {
    this.#waiting = this.#waiting.slice(batch.length);
    for (const { body } of batch) this.#characters -= body.length;
  }

  #drop(messages: readonly StreamMessage[]): void {
    const { onDropped, log } = this.#options;
    if (messages.length === 0) return;
    for (const { body } of messages) onDropped(countEntries(body));
    if (!this.#isDropping)
      log.error("Entries of the gateway log are stored but not sent: the collector accepts them too slowly.");
    this.#isDropping = true;
  }
}
