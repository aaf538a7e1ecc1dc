/** Bounds concurrent work. Waiting work starts in the order of arrival. */
export class Semaphore {
  readonly #slotsMax: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  /** @param slotsMax concurrent pieces of work, at least 1. */
  constructor(slotsMax: number) {
    this.#slotsMax = slotsMax;
  }

  /** Runs work in a slot, after waiting for one. A failure frees the slot and is rethrown. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#taken >= this.#slotsMax) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    else this.#taken += 1;
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  /** Takes a slot without waiting: returns an idempotent function that frees it, or `undefined` where all are taken. */
  tryAcquire(): (() => void) | undefined {
    if (this.#taken >= this.#slotsMax) return undefined;
    this.#taken += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.#release();
      isHeld = false;
    };
  }

  /** Passes the freed slot to the first in the queue, so that a newcomer cannot overtake it. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken -= 1;
    else next();
  }
}

/** Runs pieces of work one at a time, in the order of arrival; a failure does not block the next. */
export type RunExclusively = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Creates a function that runs pieces of work one at a time. Its queue is unbounded; callers bound the work that they submit. */
export function createMutex(): RunExclusively {
  const semaphore = new Semaphore(1);
  return async (work) => await semaphore.run(work);
}
