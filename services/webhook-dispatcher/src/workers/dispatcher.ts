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
  /** The bound of one attempt, milliseconds. */
  readonly timeoutMs: number;
  /** Longest wait of a claim for its start, and the longest time of recording after an attempt, milliseconds. */
  readonly leaseMs: number;
  /** Interval at which waiting and abandoned deliveries are looked for when nothing wakes the dispatcher, milliseconds. */
  readonly pollIntervalMs: number;
  /**
   * Interval of looking while nothing is found: what comes in here wakes the dispatcher, so only the work of others waits this
   * long.
   */
  readonly idlePollIntervalMs: number;
}

/** Queue, attempt and bounds of one dispatcher. */
export interface DispatcherOptions {
  readonly queue: DeliveryQueue;
  readonly attempt: Attempt;
  readonly bounds: DispatchBounds;
  readonly metrics: DeliveryMetrics;
  readonly log: Logger;
  readonly onCheckpoint: OnCheckpoint | undefined;
}

const batchBounds = { sizeMax: 500, concurrencyMax: 2, isRefusal: isRefusedData };
const retryDelayMs = 200;

/** Sends what waits: claims queue by queue, starts, sends, records. Any number of them may work on one database. */
export class DeliveryDispatcher {
  readonly #options: DispatcherOptions;
  readonly #queues: WebhookQueues;
  readonly #starts: Batcher<Claim, StartedDelivery | undefined>;
  readonly #finishes: Batcher<Ending, boolean>;
  /** Deliveries of this process, by id; leases distinguish those of others. */
  readonly #own = new Set<string>();
  /** All that is under way: deliveries, claims and looks. */
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

  /** Says that something waits for these webhooks. */
  wake(webhookIds: Iterable<number>): void {
    this.#queues.offer(webhookIds);
    this.#pump();
  }

  /** Sends a delivery that was made already started, beside the queues, and waits for its end. */
  async sendNow(delivery: StartedDelivery): Promise<void> {
    await this.#track(delivery, this.#send(delivery, performance.now()));
  }

  /**
   * Takes nothing more, hands back what a claim under way still takes, and waits until the rest is over: bounded by the bound of
   * one attempt.
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

  /** @returns whether anything waits. */
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
      "Deliveries of a vanished dispatcher were found.",
    );
    this.wake(taken.filter(({ state }) => state === "pending").map(({ webhookId }) => webhookId));
  }

  #pump(): void {
    this.#isWoken = true;
    if (this.#isPumping || this.#isStopping) return;
    this.#isPumping = true;
    void this.#await(this.#claimAll());
  }

  /** Claims as long as there are slots and work. */
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
        // Even if the statement was committed, nothing has been sent.
        await this.#handBack([claim]);
      }
    }
    return undefined;
  }

  async #handBack(claims: readonly Claim[]): Promise<void> {
    await this.#untilDone(async () => await this.#options.queue.handBack(claims));
  }

  /** Handed back, it would be claimed and refused again at once, without an end. */
  async #refuse(claim: Claim, err: unknown): Promise<void> {
    this.#options.log.error({ err, delivery_id: claim.id }, "The database refuses the start of a delivery; it ends.");
    await this.#untilDone(async () => await this.#options.queue.refuse(claim));
  }

  async #send(delivery: StartedDelivery, begunAt: number): Promise<boolean | undefined> {
    const { attempt, bounds, metrics, onCheckpoint } = this.#options;
    await onCheckpoint?.("started");
    // By the monotonic clock, which goes on while a process stands still: a delivery may have been taken over meanwhile.
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
      this.#options.log.error({ err, delivery_id: claim.id }, "The database refuses the reply to a delivery.");
      await this.#finishes.submit({ claim, outcome: withoutReply(outcome) });
    }
  }

  /**
   * Tries again until the database takes it: until then the slot stays taken, which holds the rest back. What it refuses is
   * left to the end of its lease.
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

/** The outcome as far as it is made of numbers, which no receiver chooses freely. */
function withoutReply({ success, httpStatus, durationMs, timing }: DeliveryOutcome): DeliveryOutcome {
  const reply = { responseHeaders: undefined, responseBody: undefined, responseTruncated: false };
  return { success, httpStatus, durationMs, timing, ...reply, error: replyRefusedError };
}

/** Time for which a started delivery is its starter's: an attempt that begins within the lease of its claim ends, and is recorded, within this. */
export function startLeaseMs({ leaseMs, timeoutMs }: Pick<DispatchBounds, "leaseMs" | "timeoutMs">): number {
  return leaseMs + timeoutMs + leaseMs;
}
