import { backoff, unlessAborted, untilTick } from "@gatehouse/async";
import type { Database } from "@gatehouse/database";
import { GatewayError } from "@gatehouse/errors";
import type { EventTransport, StreamMessage } from "@gatehouse/events";
import type { Logger } from "@gatehouse/telemetry";
import type { Registry } from "prom-client";
import type { AuditEvent } from "./audit-event.ts";
import { Notifier } from "./notifier.ts";
import { outboxBounds, type OutboxBounds } from "./outbox-bounds.ts";
import { createOutboxMetrics, type OutboxMetrics } from "./outbox-metrics.ts";
import { type Backlog, createOutboxStore, type Due, type OutboxRow, type OutboxStore } from "./outbox-store.ts";
import { PendingConfirmations } from "./pending-confirmations.ts";
import type { OutboxBody } from "./record-event.ts";

/** Consumers that must have stored an audit event before it leaves the outbox. */
export const auditConsumers = ["logbook", "webhook-dispatcher"] as const;

/** Dependencies of a relay; one relay serves the outbox of one service. */
export interface OutboxRelayOptions {
  /** Has the outbox table; see `outboxMigrations`. */
  readonly database: Database;
  /** Started and stopped by the caller. */
  readonly transport: EventTransport;
  /** The service's name, a label of metrics and logs. */
  readonly service: string;
  readonly consumers?: readonly string[];
  readonly log: Logger;
  readonly metrics: Registry;
  readonly bounds?: Partial<OutboxBounds>;
}

/**
 * Publishes the outbox in order, and publishes unconfirmed events again. An event leaves the outbox only after every consumer has
 * stored it, across failures of processes, connections and brokers.
 */
export interface OutboxRelay {
  /** Starts the relay without waiting. The table must exist. */
  start(): void;
  /** Ends after the current batch, within a bound, and writes received reports. */
  stop(): Promise<void>;
  /** Notifies the relay of a possible commit. Cheap and optional: the outbox is also polled every five seconds. */
  wake(): void;
  /** Problems for operators, shown as notices; empty while events are published and stored in time. They do not affect readiness. */
  problems(): readonly string[];
  backlogs(): readonly { readonly name: string; readonly count: number; readonly oldestMs: number }[];
}

const noBacklog: Backlog = { unpublished: 0, unpublishedAgeMs: 0, unconfirmed: 0, unconfirmedAgeMs: 0 };

/** Creates a relay for the outbox of one service; `start` runs it. */
export function createOutboxRelay(options: OutboxRelayOptions): OutboxRelay {
  return new PollingRelay(options);
}

class PollingRelay implements OutboxRelay {
  readonly #options: OutboxRelayOptions;
  readonly #bounds: OutboxBounds;
  readonly #store: OutboxStore;
  readonly #metrics: OutboxMetrics;
  readonly #awaited: PendingConfirmations;
  readonly #consumers: readonly string[];
  readonly #notifier = new Notifier();
  /** Aborts when a stop takes too long. */
  readonly #givingUp = new AbortController();
  /** Time of the latest run of each rare job, milliseconds of the monotonic clock. */
  readonly #doneAt = new Map<string, number>();
  #loop: Promise<void> | undefined;
  #confirmTimer: NodeJS.Timeout | undefined;
  #unsubscribe: () => void = () => {};
  #isStopping = false;
  #failures = 0;
  #blockedAtMs = 0;
  #hasWarned = false;
  #backlog: Backlog | undefined;
  readonly #createdAtMs = performance.now();
  /** Time of the latest event that every consumer has stored, milliseconds of the monotonic clock; undefined: none yet. */
  #confirmedAtMs: number | undefined;
  /** Whether events may wait for longer than usual although an event was confirmed. */
  #isAnsweredAgain = false;

  constructor(options: OutboxRelayOptions) {
    const consumers = options.consumers ?? auditConsumers;
    this.#options = options;
    this.#consumers = consumers;
    this.#bounds = { ...outboxBounds, ...options.bounds };
    this.#store = createOutboxStore(options.database, consumers, this.#bounds);
    this.#metrics = createOutboxMetrics(options.metrics, options.service);
    this.#awaited = new PendingConfirmations(consumers, this.#bounds.awaitedMax);
  }

  start(): void {
    if (this.#loop !== undefined) return;
    this.#unsubscribe = this.#options.transport.onStored(({ stream, consumer, ids }) => {
      if (stream === "audit" && this.#awaited.record(consumer, ids)) this.#confirmSoon();
    });
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#unsubscribe();
    clearTimeout(this.#confirmTimer);
    this.#notifier.notify();
    const bound = setTimeout(() => this.#givingUp.abort(), this.#bounds.stopTimeoutMs);
    await this.#loop;
    clearTimeout(bound);
    await this.#confirm().catch((err: unknown) => this.#options.log.debug({ err }, "Last reports were not written."));
  }

  wake(): void {
    if (this.#failures === 0) this.#notifier.notify();
  }

  problems(): readonly string[] {
    const { unpublished = 0, unpublishedAgeMs = 0, unconfirmed = 0, unconfirmedAgeMs = 0 } = this.#backlog ?? {};
    const { lateAfterMs, republishAfterMs } = this.#bounds;
    const seconds = (ms: number) => Math.round(ms / 1_000);
    const problems: string[] = [];
    if (unpublished > 0 && unpublishedAgeMs > lateAfterMs) {
      problems.push(`${unpublished} audit events wait to be published, the oldest for ${seconds(unpublishedAgeMs)} s`);
    }
    if (unconfirmed > 0 && unconfirmedAgeMs > lateAfterMs + republishAfterMs) {
      problems.push(`${unconfirmed} audit events are not stored yet, the oldest for ${seconds(unconfirmedAgeMs)} s`);
    }
    return problems;
  }

  backlogs() {
    if (this.#backlog === undefined) return [];
    const { unpublished, unpublishedAgeMs, unconfirmed, unconfirmedAgeMs } = this.#backlog;
    return [
      { name: "audit events to send", count: unpublished, oldestMs: unpublishedAgeMs },
      { name: "audit events to be stored", count: unconfirmed, oldestMs: unconfirmedAgeMs },
    ];
  }

  async #run(): Promise<void> {
    const { pollIntervalMs } = this.#bounds;
    while (!this.#isStopping) {
      const pauseMs = await this.#round();
      // At rest all relays of a process look together.
      await this.#notifier.wait(pauseMs === pollIntervalMs ? untilTick(pollIntervalMs) : pauseMs);
    }
  }

  /** One round of work. @returns time that the relay may sleep, milliseconds. */
  async #round(): Promise<number> {
    try {
      const pauseMs = await this.#publish();
      await this.#confirm();
      await this.#rarely("clean", this.#bounds.cleanIntervalMs, async () => await this.#clean());
      await this.#measureRarely();
      this.#succeeded();
      return pauseMs;
    } catch (cause) {
      return await this.#failed(cause);
    }
  }

  async #publish(): Promise<number> {
    const { pollIntervalMs, sweepIntervalMs } = this.#bounds;
    const { hasUnpublished, hasUnconfirmed, hasAgain } = await this.#store.look();
    if (!hasUnpublished && !hasUnconfirmed) this.#noteBacklog(noBacklog);
    let pauseMs = hasUnpublished ? await this.#publishNext("new") : pollIntervalMs;
    await this.#rarely("sweep", sweepIntervalMs, async () => {
      if (hasUnconfirmed && this.#isAnsweredAgain) await this.#hasten();
      if (!hasAgain) return true;
      const again = await this.#publishNext("again");
      pauseMs = Math.min(pauseMs, again);
      // After a full batch the next round continues.
      return again !== 0;
    });
    return pauseMs;
  }

  /** @returns delay before the next attempt, milliseconds. */
  async #publishNext(due: Due): Promise<number> {
    const { batchSizeMax: full, busyDelayMs: busy, pollIntervalMs: idle } = this.#bounds;
    const { transport, service } = this.#options;
    if (!transport.isConnected()) throw new GatewayError("unavailable", "The event transport is not connected.");
    if (due === "new" && !(await this.#store.assignNumbers(service))) return busy;
    const publish = async (rows: readonly OutboxRow[]) => {
      this.#awaited.expect(rows.map(({ event_id }) => event_id));
      const bound = AbortSignal.any([this.#givingUp.signal, AbortSignal.timeout(this.#bounds.publishTimeoutMs)]);
      await unlessAborted(transport.publish("audit", rows.map(toMessage)), bound);
    };
    const outcome = await this.#store.publishNext(due, { publish, againAfterMaxMs: this.#againAfterMaxMs() });
    if (outcome.kind === "busy") return busy;
    this.#metrics.addPublished(outcome.count, due === "again");
    return outcome.count === full ? 0 : idle;
  }

  /** While no event is confirmed, a consumer is missing; publishing all events again each hour would cost more from day to day. */
  #againAfterMaxMs(): number {
    const { republishAfterMaxMs, republishUnansweredMaxMs } = this.#bounds;
    const isAnswered = performance.now() - (this.#confirmedAtMs ?? this.#createdAtMs) <= republishAfterMaxMs;
    return isAnswered ? republishAfterMaxMs : republishUnansweredMaxMs;
  }

  /** Brings events forward, a batch at a time, that wait for longer because no consumer answered. */
  async #hasten(): Promise<void> {
    this.#isAnsweredAgain = (await this.#store.hasten()) > 0;
  }

  async #confirm(): Promise<void> {
    const reports = this.#awaited.take();
    for (const report of reports) {
      try {
        await this.#store.confirm(report.ids, report.storedBy);
        this.#awaited.written(report);
        if (report.storedBy.length === this.#consumers.length) this.#answered();
      } catch (err) {
        for (const rest of reports.slice(reports.indexOf(report))) this.#awaited.giveBack(rest);
        throw err;
      }
    }
  }

  #answered(): void {
    const now = performance.now();
    this.#isAnsweredAgain ||=
      now - (this.#confirmedAtMs ?? Number.NEGATIVE_INFINITY) > this.#bounds.republishAfterMaxMs;
    this.#confirmedAtMs = now;
  }

  #confirmSoon(): void {
    if (this.#confirmTimer !== undefined || this.#isStopping) return;
    this.#confirmTimer = setTimeout(() => {
      this.#confirmTimer = undefined;
      this.wake();
    }, this.#bounds.confirmDelayMs);
  }

  async #clean(): Promise<boolean> {
    return (await this.#store.deleteOld()) < this.#bounds.cleanBatchMax;
  }

  async #measureRarely(): Promise<void> {
    await this.#rarely("measure", this.#bounds.measureIntervalMs, async () => {
      this.#noteBacklog(await this.#store.measure());
      return true;
    });
  }

  #noteBacklog(backlog: Backlog): void {
    this.#doneAt.set("measure", performance.now());
    if (backlog === this.#backlog) return;
    this.#backlog = backlog;
    this.#metrics.setBacklog(backlog);
  }

  /** Runs a job once in an interval; if it returns false, it is not finished and runs again in the next round. */
  async #rarely(name: string, intervalMs: number, job: () => Promise<boolean>): Promise<void> {
    const now = performance.now();
    if (now - (this.#doneAt.get(name) ?? Number.NEGATIVE_INFINITY) < intervalMs) return;
    if (await job()) this.#doneAt.set(name, now);
  }

  #succeeded(): void {
    if (this.#hasWarned) this.#options.log.info({ outbox: this.#options.service }, "Audit events are published again.");
    this.#failures = 0;
    this.#hasWarned = false;
  }

  async #failed(cause: unknown): Promise<number> {
    if (this.#failures === 0) this.#blockedAtMs = performance.now();
    this.#failures += 1;
    this.#warnOnce(cause);
    // While publishing is blocked, reports are still written and the backlog is still counted.
    await this.#confirm().catch(() => {});
    await this.#measureRarely().catch(() => {});
    const { backoffMinMs, backoffMaxMs } = this.#bounds;
    return backoff(this.#failures, backoffMinMs, backoffMaxMs);
  }

  /** Warns once events are late: a shorter outage is normal while services and brokers start. */
  #warnOnce(cause: unknown): void {
    if (this.#hasWarned || performance.now() - this.#blockedAtMs < this.#bounds.lateAfterMs) return;
    this.#hasWarned = true;
    const { log, service } = this.#options;
    log.warn({ err: cause, outbox: service }, "Audit events cannot be published; they wait in the outbox.");
  }
}

function toMessage({ event_id: id, body, created_at: createdAt, attempts }: OutboxRow): StreamMessage {
  const waiting = JSON.parse(body) as OutboxBody;
  const event: AuditEvent = { ...waiting, occurredAt: createdAt.toISOString() };
  return { id, body: JSON.stringify(event), attempt: attempts };
}
