import type { Principal } from "@gatehouse/principal";
import type { BodyAllowance, BodyDebt } from "../domain/body-allowance.ts";

/** How long a body may wait, unread, for its project's allowance; its request is refused then. */
export const bodyWaitMsMax = 5_000;
/** Bodies of one project that wait at once. */
export const bodiesWaitingMax = 256;

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

interface Line {
  readonly waiting: Set<Waiting>;
  timer: NodeJS.Timeout | undefined;
}

/**
 * The bodies that come faster than their project may send them. They wait in their own project's line, unread, so that their
 * clients' connections hold them back and a steady sender is slowed down rather than refused.
 */
export class BodyLine {
  readonly #allowance: BodyAllowance;
  readonly #elapsedMs: () => number;
  readonly #lines = new Map<string, Line>();

  constructor(allowance: BodyAllowance, /** As `performance.now`. */ elapsedMs: () => number) {
    this.#allowance = allowance;
    this.#elapsedMs = elapsedMs;
  }

  /** Nothing where the body may be read at once, what it would have to wait for where too many wait, else the wait. */
  enter(principal: Principal, bytes: number): BodyWait | BodyDebt | undefined {
    if (principal.kind === "admin") return undefined;
    const name = principal.project.uuid;
    const line = this.#lines.get(name);
    if (line === undefined || line.waiting.size >= bodiesWaitingMax) {
      const debt = this.charge(principal, bytes);
      if (debt === undefined || line !== undefined) return debt;
    }
    return this.#wait(name, line ?? this.#open(name), { principal, bytes });
  }

  /** Charges bytes that came without having been announced. */
  charge(principal: Principal, bytes: number): BodyDebt | undefined {
    return this.#allowance.take(principal, bytes, this.#elapsedMs());
  }

  #wait(name: string, line: Line, { principal, bytes }: Pick<Waiting, "principal" | "bytes">): BodyWait {
    const { promise, resolve } = Promise.withResolvers<BodyDebt | undefined>();
    const waiting: Waiting = {
      principal,
      bytes,
      sinceMs: this.#elapsedMs(),
      settle: (debt) => {
        line.waiting.delete(waiting);
        if (line.waiting.size === 0) this.#close(name, line);
        resolve(debt);
      },
    };
    line.waiting.add(waiting);
    this.#advance(line);
    return { settled: promise, end: () => waiting.settle() };
  }

  #open(name: string): Line {
    const line: Line = { waiting: new Set(), timer: undefined };
    this.#lines.set(name, line);
    return line;
  }

  #close(name: string, line: Line): void {
    clearTimeout(line.timer);
    if (this.#lines.get(name) === line) this.#lines.delete(name);
  }

  /** Lets in what there is allowance for, in the order of coming; a token that has used up its own does not hold up the others. */
  #advance(line: Line): void {
    clearTimeout(line.timer);
    const nowMs = this.#elapsedMs();
    let nextMs = bodyWaitMsMax;
    let isProjectSpent = false;
    for (const one of line.waiting) {
      const leftMs = one.sinceMs + bodyWaitMsMax - nowMs;
      if (isProjectSpent && leftMs > 0) break;
      const debt = this.#allowance.take(one.principal, one.bytes, nowMs);
      if (debt === undefined || leftMs <= 0) {
        one.settle(debt);
        continue;
      }
      isProjectSpent = debt.holder === "project";
      nextMs = Math.min(nextMs, debt.waitMs, leftMs);
    }
    if (line.waiting.size > 0) line.timer = setTimeout(() => this.#advance(line), Math.max(1, nextMs));
  }
}

export function isWaiting(entered: BodyWait | BodyDebt): entered is BodyWait {
  return "settled" in entered;
}
