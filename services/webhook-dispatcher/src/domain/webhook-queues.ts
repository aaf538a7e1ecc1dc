/** Deliveries that may be sent at once. */
export interface QueueBounds {
  /** To one webhook. */
  readonly concurrencyMax: number;
  /** Altogether. */
  readonly inFlightMax: number;
}

/** Number of deliveries of a webhook to claim. */
export interface Allotment {
  readonly webhookId: number;
  readonly take: number;
}

/** Attempts in a row without any answer, after which a queue is narrowed to one attempt at a time until there is an answer. */
const silencesMax = 16;

interface WebhookQueue {
  inFlight: number;
  /** Whether there may be something to claim. */
  mayHaveWork: boolean;
  /** Whether work was offered since the last allotment, which the claim for that may not have seen. */
  isOffered: boolean;
  silences: number;
}

/**
 * A queue for each webhook, so that a slow receiver delays no other. Webhooks that never answer are narrowed, never skipped, and
 * share at most half of all slots, so that many of them leave room for the others. Single-threaded; holds no time.
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

  /** Something may wait for these webhooks. */
  offer(webhookIds: Iterable<number>): void {
    for (const webhookId of webhookIds) Object.assign(this.#queue(webhookId), { mayHaveWork: true, isOffered: true });
  }

  /**
   * Chooses deliveries to claim and takes their slots: one for each queue in turn, until no slots or no queues are left.
   * Queues that got the least lately come first.
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

  /** Gives back the slots that a claim left unused for lack of work. */
  returnSlots({ webhookId, take }: Allotment, claimed: number): void {
    const queue = this.#queue(webhookId);
    if (claimed < take && !queue.isOffered) queue.mayHaveWork = false;
    this.#release(webhookId, queue, take - claimed);
  }

  /** An attempt is over. @param answered whether the receiver sent anything; undefined where it was not asked. */
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
    // A queue that says nothing any more is forgotten, so that they are bounded by what is in use.
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
