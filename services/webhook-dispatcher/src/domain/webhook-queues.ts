/** Deliveries in flight. */
export interface QueueBounds {
  /** Per webhook. */
  readonly concurrencyMax: number;
  /** In total. */
  readonly inFlightMax: number;
}

/** Number of deliveries of a webhook to claim. */
export interface Allotment {
  readonly webhookId: number;
  readonly take: number;
}

/** Consecutive unanswered attempts after which a queue is limited to one attempt at a time, until the next answer. */
const silencesMax = 16;

interface WebhookQueue {
  inFlight: number;
  /** Whether deliveries may be waiting. */
  mayHaveWork: boolean;
  /** Whether work arrived since the last allotment, which that claim may have missed. */
  isOffered: boolean;
  silences: number;
}

/**
 * A queue per webhook, so that a slow receiver delays no other. Webhooks that never answer are limited, never skipped, and share
 * at most half of all slots, which leaves room for the others. Synchronous, without a clock.
 */
export class WebhookQueues {
  readonly #bounds: QueueBounds;
  readonly #queues = new Map<number, WebhookQueue>();
  #inFlight = 0;
  #silentInFlight = 0;

  constructor(bounds: QueueBounds) {
    this.#bounds = bounds;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Marks webhooks that may have waiting deliveries. */
  offer(webhookIds: Iterable<number>): void {
    for (const webhookId of webhookIds) Object.assign(this.#queue(webhookId), { mayHaveWork: true, isOffered: true });
  }

  /**
   * Allots slots round-robin over the queues, until no slots or queues are left. Queues that got the fewest recently come first.
   */
  allot(): Allotment[] {
    const open = [...this.#queues].filter(
      ([, queue]) => queue.mayHaveWork && queue.inFlight < this.#concurrencyOf(queue),
    );
    const takes = new Map<number, number>();
    let given = true;
    while (given && this.#inFlight < this.#bounds.inFlightMax) {
      given = false;
      for (const [webhookId, queue] of open) given = this.#takeSlot(webhookId, queue, takes) || given;
    }
    for (const webhookId of takes.keys()) this.#moveToEnd(webhookId);
    return [...takes].map(([webhookId, take]) => ({ webhookId, take }));
  }

  /** Returns slots that a claim did not use. */
  returnSlots({ webhookId, take }: Allotment, claimed: number): void {
    const queue = this.#queue(webhookId);
    if (claimed < take && !queue.isOffered) queue.mayHaveWork = false;
    this.#release(webhookId, queue, take - claimed);
  }

  /** Ends an attempt. @param answered whether the receiver sent anything; undefined where it was not called */
  end(webhookId: number, answered: boolean | undefined): void {
    const queue = this.#queue(webhookId);
    const wasSilent = isSilent(queue);
    if (answered !== undefined) queue.silences = answered ? 0 : queue.silences + 1;
    if (wasSilent !== isSilent(queue)) this.#silentInFlight += (wasSilent ? -1 : 1) * queue.inFlight;
    this.#release(webhookId, queue, 1);
  }

  #queue(webhookId: number): WebhookQueue {
    const queue = this.#queues.get(webhookId) ?? { inFlight: 0, mayHaveWork: false, isOffered: false, silences: 0 };
    this.#queues.set(webhookId, queue);
    return queue;
  }

  #concurrencyOf(queue: WebhookQueue): number {
    return isSilent(queue) ? 1 : this.#bounds.concurrencyMax;
  }

  #takeSlot(webhookId: number, queue: WebhookQueue, takes: Map<number, number>): boolean {
    if (this.#inFlight >= this.#bounds.inFlightMax || queue.inFlight >= this.#concurrencyOf(queue)) return false;
    if (isSilent(queue)) {
      if (this.#silentInFlight >= this.#bounds.inFlightMax / 2) return false;
      this.#silentInFlight += 1;
    }
    queue.inFlight += 1;
    queue.isOffered = false;
    this.#inFlight += 1;
    takes.set(webhookId, (takes.get(webhookId) ?? 0) + 1);
    return true;
  }

  #release(webhookId: number, queue: WebhookQueue, slots: number): void {
    queue.inFlight -= slots;
    this.#inFlight -= slots;
    if (isSilent(queue)) this.#silentInFlight -= slots;
    // Removes an idle queue without a history, so that queues are bounded by those in use.
    if (queue.inFlight === 0 && !queue.mayHaveWork && queue.silences === 0) this.#queues.delete(webhookId);
  }

  #moveToEnd(webhookId: number): void {
    const queue = this.#queue(webhookId);
    this.#queues.delete(webhookId);
    this.#queues.set(webhookId, queue);
  }
}

function isSilent({ silences }: WebhookQueue): boolean {
  return silences >= silencesMax;
}
