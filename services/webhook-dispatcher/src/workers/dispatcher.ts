import { setTimeout as delay } from "node:timers/promises";
import { Batcher } from "@gatehouse/async";
import { isRefusedData } from "@gatehouse/database";
import type { Logger } from "@gatehouse/telemetry";
import { type DeliveryOutcome, type OnCheckpoint, replyRefusedError } from "../domain/delivery.ts";
import { type QueueBounds, WebhookQueues } from "../domain/webhook-queues.ts";
import type { DeliveryMetrics } from "../metrics.ts";
import { type Claim, type DeliveryQueue, type Ending, lookedAtMax, type StartedDelivery } from "../store/queue.ts";
import type { Attempt } from "./attempt.ts";

interface DispatchBounds extends QueueBounds {
  /** Bound of one attempt, milliseconds. */
  readonly timeoutMs: number;
  /** Longest time from claim to start, and longest time of recording the outcome, milliseconds. */
  readonly leaseMs: number;
  /** Interval of looking for waiting and abandoned deliveries, milliseconds. */
  readonly pollIntervalMs: number;
  /** Interval while idle, milliseconds; long, since new events here wake the dispatcher and only other processes' work waits. */
  readonly idlePollIntervalMs: number;
}

interface DispatcherOptions {
  readonly queue: DeliveryQueue;
  readonly attempt: Attempt;
  readonly bounds: DispatchBounds;
  readonly metrics: DeliveryMetrics;
  readonly log: Logger;
  readonly onCheckpoint: OnCheckpoint | undefined;
}

const batchBounds = { sizeMax: 500, concurrencyMax: 2, isRefusal: isRefusedData };
const retryDelayMs = 200;

/** Sends waiting deliveries: claims queue by queue, starts, sends, records. Any number of dispatchers may share a database. */
export class DeliveryDispatcher {
  readonly #options: DispatcherOptions;
  readonly #queues: WebhookQueues;
  readonly #starts: Batcher<Claim, StartedDelivery | undefined>;
  readonly #finishes: Batcher<Ending, boolean>;
  /** Deliveries of this process, by id; leases identify those of others. */
  readonly #own = new Set<string>();
  /** Deliveries, claims and looks in progress. */
  readonly #running = new Set<Promise<unknown>>();
  #timer: NodeJS.Timeout | undefined;
  #isPumping = false;
  #isWoken = false;
  #isStopping = false;

  constructor(options: DispatcherOptions) {
    const { queue, bounds } = options;
    this.#options = options;
    this.#queues = new WebhookQueues(bounds);
    this.#starts = new Batcher(async (claims) => {
      const started = new Map((await queue.start(claims, startLeaseMs(bounds))).map((each) => [each.id, each]));
      return claims.map(({ id }) => started.get(id));
    }, batchBounds);
    this.#finishes = new Batcher(async (endings) => {
      const recorded = await queue.finish(endings);
      return endings.map(({ claim }) => recorded.has(claim.id));
    }, batchBounds);
    options.metrics.observeInFlight(() => this.#queues.inFlight);
  }

  start(): void {
    this.#lookAfter(this.#options.bounds.pollIntervalMs);
  }

  /** Signals that deliveries wait for these webhooks. */
  wake(webhookIds: Iterable<number>): void {
    this.#queues.offer(webhookIds);
    this.#pump();
  }

  /** Sends a delivery created as started, bypassing the queues, and waits for its end. */
  async sendNow(delivery: StartedDelivery): Promise<void> {
    await this.#track(delivery, this.#send(delivery, performance.now()));
  }

  /**
   * Stops claiming, returns what a claim in progress still gets, and waits for attempts in progress, at most for the bound of
   * one.
   */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  #lookAfter(pauseMs: number): void {
    if (this.#isStopping) return;
    const { bounds, log } = this.#options;
    const again = (hasWork: boolean) => this.#lookAfter(hasWork ? bounds.pollIntervalMs : bounds.idlePollIntervalMs);
    this.#timer = setTimeout(() => {
      const looked = this.#look().then(again, (err: unknown) => {
        log.debug({ err }, "Looking for deliveries failed; trying again.");
        this.#lookAfter(bounds.pollIntervalMs);
      });
      void this.#await(looked);
    }, pauseMs);
  }

  /** @returns whether deliveries are waiting */
  async #look(): Promise<boolean> {
    let after = 0;
    for (;;) {
      const { webhookIds, hasLapsed } = await this.#options.queue.look(after);
      this.wake(webhookIds);
      if (after === 0 && hasLapsed) await this.#takeOver();
      if (webhookIds.length < lookedAtMax) return after > 0 || webhookIds.length > 0;
      after = webhookIds.at(-1) ?? 0;
    }
  }

  async #takeOver(): Promise<void> {
    const { queue, metrics, log } = this.#options;
    const taken = await queue.takeOver([...this.#own]);
    const interrupted = taken.filter(({ state }) => state === "done").length;
    if (taken.length === 0) return;
    metrics.countInterrupted(interrupted);
    log.warn(
      { interrupted, handed_back: taken.length - interrupted },
      "Deliveries of a dispatcher that ended unexpectedly were taken over.",
    );
    this.wake(taken.filter(({ state }) => state === "pending").map(({ webhookId }) => webhookId));
  }

  #pump(): void {
    this.#isWoken = true;
    if (this.#isPumping || this.#isStopping) return;
    this.#isPumping = true;
    void this.#await(this.#claimAll());
  }

  /** Claims while there are slots and work. */
  async #claimAll(): Promise<void> {
    try {
      while (this.#isWoken && !this.#isStopping) {
        this.#isWoken = false;
        while (await this.#claim());
      }
    } catch (err) {
      this.#options.log.debug({ err }, "Claiming deliveries failed; trying again.");
    } finally {
      this.#isPumping = false;
    }
  }

  async #claim(): Promise<boolean> {
    const { queue, bounds } = this.#options;
    const allotments = this.#isStopping ? [] : this.#queues.allot();
    if (allotments.length === 0) return false;
    const begunAt = performance.now();
    let claims: readonly Claim[] = [];
    try {
      claims = await queue.claim(allotments, bounds.leaseMs);
    } finally {
      const counts = Map.groupBy(claims, ({ webhookId }) => webhookId);
      for (const each of allotments) this.#queues.returnSlots(each, counts.get(each.webhookId)?.length ?? 0);
    }
    if (this.#isStopping) await this.#handBack(claims);
    else for (const claim of claims) void this.#track(claim, this.#deliver(claim, begunAt)).then(() => this.#pump());
    return true;
  }

  async #track(claim: Claim, work: Promise<unknown>): Promise<void> {
    this.#own.add(claim.id);
    try {
      await this.#await(work);
    } finally {
      this.#own.delete(claim.id);
    }
  }

  async #await(work: Promise<unknown>): Promise<void> {
    this.#running.add(work);
    try {
      await work;
    } finally {
      this.#running.delete(work);
    }
  }

  async #deliver(claim: Claim, claimedAt: number): Promise<void> {
    let answered: boolean | undefined;
    try {
      await this.#options.onCheckpoint?.("claimed");
      const delivery = await this.#startOrHandBack(claim);
      if (delivery !== undefined) answered = await this.#send(delivery, claimedAt);
    } catch (err) {
      this.#options.log.error({ err }, "A delivery failed in an unexpected way.");
    } finally {
      this.#queues.end(claim.webhookId, answered);
    }
  }

  async #startOrHandBack(claim: Claim): Promise<StartedDelivery | undefined> {
    try {
      return await this.#starts.submit(claim);
    } catch (err) {
      if (isRefusedData(err)) await this.#refuse(claim, err);
      else {
        this.#options.log.debug({ err }, "Deliveries could not be started; they wait.");
        // Nothing was sent, even if the statement was committed.
        await this.#handBack([claim]);
      }
    }
    return undefined;
  }

  async #handBack(claims: readonly Claim[]): Promise<void> {
    await this.#untilDone(async () => await this.#options.queue.handBack(claims));
  }

  /** Ends the delivery: returned, it would be claimed and refused endlessly. */
  async #refuse(claim: Claim, err: unknown): Promise<void> {
    this.#options.log.error(
      { err, delivery_id: claim.id },
      "The database refused to record that a delivery starts; nothing was sent.",
    );
    await this.#untilDone(async () => await this.#options.queue.refuse(claim));
  }

  async #send(delivery: StartedDelivery, begunAt: number): Promise<boolean | undefined> {
    const { attempt, bounds, metrics, onCheckpoint } = this.#options;
    await onCheckpoint?.("started");
    // Monotonic time, which includes pauses of the process: the delivery may have been taken over meanwhile.
    const maySend = () => performance.now() - begunAt < bounds.leaseMs;
    const { outcome, answered } = await attempt(delivery, maySend);
    await onCheckpoint?.("sent");
    await this.#untilDone(async () => await this.#record(delivery, outcome));
    metrics.observe(outcome);
    await onCheckpoint?.("recorded");
    return answered;
  }

  async #record(claim: Claim, outcome: DeliveryOutcome): Promise<void> {
    try {
      await this.#finishes.submit({ claim, outcome });
    } catch (err) {
      if (!isRefusedData(err)) throw err;
      this.#options.log.error(
        { err, delivery_id: claim.id },
        "The database refused to record the reply to a delivery; the delivery is recorded without it.",
      );
      await this.#finishes.submit({ claim, outcome: withoutReply(outcome) });
    }
  }

  /**
   * Retries while the database is unavailable; meanwhile the slot stays taken, which throttles further claims. Work that the
   * database refuses is left to the end of its lease.
   */
  async #untilDone(work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await work();
      } catch (err) {
        this.#options.log.debug({ err }, "An outcome could not be recorded; trying again.");
        if (isRefusedData(err)) return;
        if (this.#isStopping) return;
        await delay(retryDelayMs);
      }
    }
  }
}

/** The numeric part of an outcome, which a receiver cannot choose freely. */
function withoutReply({ success, httpStatus, durationMs, timing }: DeliveryOutcome): DeliveryOutcome {
  const reply = { responseHeaders: undefined, responseBody: undefined, responseTruncated: false };
  return { success, httpStatus, durationMs, timing, ...reply, error: replyRefusedError };
}

/** Lease of a started delivery: an attempt that starts within its claim's lease ends and is recorded within this time. */
export function startLeaseMs({ leaseMs, timeoutMs }: Pick<DispatchBounds, "leaseMs" | "timeoutMs">): number {
  return leaseMs + timeoutMs + leaseMs;
}
