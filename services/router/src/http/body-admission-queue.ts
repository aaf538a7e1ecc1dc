import type { Principal } from "@gatehouse/principal";
import type { BodyRateLimiter, BodyDebt } from "../domain/body-rate-limiter.ts";

/** Time for which a body may wait, unread, for its project's rate; its request is refused then. */
const bodyWaitMsMax = 5_000;
/** Bodies of one project that wait at once. */
const bodiesWaitingMax = 256;

/** A body that waits. `end` ends the wait early, and `settled` then says nothing of a refusal. */
export interface BodyWait {
  /** Resolves with nothing once the body may be read. */
  readonly settled: Promise<BodyDebt | undefined>;
  readonly end: () => void;
}

interface Waiting {
  readonly principal: Principal;
  readonly bytes: number;
  readonly sinceMs: number;
  readonly settle: (debt?: BodyDebt) => void;
}

interface ProjectQueue {
  readonly waiting: Set<Waiting>;
  timer: NodeJS.Timeout | undefined;
}

/**
 * The bodies that come faster than their project may send them. They wait in their own project's queue, unread, so that their
 * clients' connections hold them back and a steady sender is slowed down rather than refused.
 */
export class BodyAdmissionQueue {
  readonly #limiter: BodyRateLimiter;
  readonly #now: () => number;
  readonly #queues = new Map<string, ProjectQueue>();

  constructor(limiter: BodyRateLimiter, /** Milliseconds of a monotonic clock. */ now: () => number) {
    this.#limiter = limiter;
    this.#now = now;
  }

  /** @returns undefined where the body may be read at once, its debt where too many others wait, else its wait */
  enter(principal: Principal, bytes: number): BodyWait | BodyDebt | undefined {
    if (principal.kind === "admin") return undefined;
    const name = principal.project.uuid;
    const queue = this.#queues.get(name);
    if (queue === undefined || queue.waiting.size >= bodiesWaitingMax) {
      const debt = this.charge(principal, bytes);
      if (debt === undefined || queue !== undefined) return debt;
    }
    return this.#wait(name, queue ?? this.#open(name), { principal, bytes });
  }

  /** Charges bytes that came without having been announced. */
  charge(principal: Principal, bytes: number): BodyDebt | undefined {
    return this.#limiter.take(principal, bytes, this.#now());
  }

  #wait(name: string, queue: ProjectQueue, { principal, bytes }: Pick<Waiting, "principal" | "bytes">): BodyWait {
    const { promise, resolve } = Promise.withResolvers<BodyDebt | undefined>();
    const waiting: Waiting = {
      principal,
      bytes,
      sinceMs: this.#now(),
      settle: (debt) => {
        queue.waiting.delete(waiting);
        if (queue.waiting.size === 0) this.#close(name, queue);
        resolve(debt);
      },
    };
    queue.waiting.add(waiting);
    this.#advance(queue);
    return { settled: promise, end: () => waiting.settle() };
  }

  #open(name: string): ProjectQueue {
    const queue: ProjectQueue = { waiting: new Set(), timer: undefined };
    this.#queues.set(name, queue);
    return queue;
  }

  #close(name: string, queue: ProjectQueue): void {
    clearTimeout(queue.timer);
    if (this.#queues.get(name) === queue) this.#queues.delete(name);
  }

  /** Lets in what the rates allow, in the order of coming; a token that has used up its own does not hold up the others. */
  #advance(queue: ProjectQueue): void {
    clearTimeout(queue.timer);
    const nowMs = this.#now();
    let nextMs = bodyWaitMsMax;
    let isProjectSpent = false;
    for (const one of queue.waiting) {
      const leftMs = one.sinceMs + bodyWaitMsMax - nowMs;
      if (isProjectSpent && leftMs > 0) break;
      const debt = this.#limiter.take(one.principal, one.bytes, nowMs);
      if (debt === undefined || leftMs <= 0) {
        one.settle(debt);
        continue;
      }
      isProjectSpent = debt.holder === "project";
      nextMs = Math.min(nextMs, debt.waitMs, leftMs);
    }
    if (queue.waiting.size > 0) queue.timer = setTimeout(() => this.#advance(queue), Math.max(1, nextMs));
  }
}

/** Whether a body must wait for its turn; otherwise it has been admitted. */
export function isWaiting(entered: BodyWait | BodyDebt): entered is BodyWait {
  return "settled" in entered;
}
