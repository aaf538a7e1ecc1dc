import type { Principal } from "@gatehouse/principal";
import type { BodyRateLimiter, BodyDebt } from "../domain/body-rate-limiter.ts";

/** Longest wait of an unread body for its project's rate, after which its request is refused. */
const bodyWaitMsMax = 5_000;
/** Waiting bodies of one project. */
const bodiesWaitingMax = 256;

/** A waiting body. After `end`, `settled` does not signal a refusal. */
export interface BodyWait {
  /** Resolves with undefined once the body may be read, else with the refusing rate. */
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
 * Queues, per project, bodies that exceed the project's rate. They wait unread, so that back-pressure slows a steady sender
 * instead of a refusal.
 */
export class BodyAdmissionQueue {
  readonly #limiter: BodyRateLimiter;
  readonly #now: () => number;
  readonly #queues = new Map<string, ProjectQueue>();

  constructor(limiter: BodyRateLimiter, /** Milliseconds of a monotonic clock. */ now: () => number) {
    this.#limiter = limiter;
    this.#now = now;
  }

  /** @returns undefined where the body may be read at once, its debt where the queue is full, else its wait */
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

  /** Admits bodies as the rates allow, in order of arrival; a token without a remaining rate does not delay the others. */
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

/** Whether the body must wait, as opposed to refused. */
export function isWaiting(entered: BodyWait | BodyDebt): entered is BodyWait {
  return "settled" in entered;
}
