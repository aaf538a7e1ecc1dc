/** Bounds the work that runs at once. Waiting work starts in the order of its arrival. */
export class Semaphore {
  readonly #slotsMax: number;
  readonly #waiting: (() => void)[] = [];
  #taken = 0;

  /** @param slotsMax pieces of work at once, at least 1. */
  constructor(slotsMax: number) {
    this.#slotsMax = slotsMax;
  }

  /** Runs work in a slot, after waiting for one. A failure of the work frees its slot and is thrown on. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#taken >= this.#slotsMax) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
    else this.#taken += 1;
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  /** Takes a slot without waiting: the function that frees it (once, later calls do nothing), or `undefined` where all are taken. */
  tryAcquire(): (() => void) | undefined {
    if (this.#taken >= this.#slotsMax) return undefined;
    this.#taken += 1;
    let isHeld = true;
    return () => {
      if (isHeld) this.#release();
      isHeld = false;
    };
  }

  /** A freed slot goes to the first in the queue directly, so that a newcomer cannot overtake it. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken -= 1;
    else next();
  }
}

/** Runs pieces of work one at a time, in the order of their arrival; a failed one does not hold up the next. */
export type RunExclusively = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** A mutex: a semaphore of one slot. */
export function createMutex(): RunExclusively {
  const semaphore = new Semaphore(1);
  return async (work) => await semaphore.run(work);
}
