/** Bounds of a {@link Batcher}: items of one statement, and statements in progress. */
export interface BatcherBounds {
  readonly sizeMax: number;
  /** Statements at once; items that arrive meanwhile are gathered for the next. */
  readonly concurrencyMax: number;
  /**
   * Whether a statement failed because one of its items was refused, and had no effect: it is then repeated by halves, so that
   * only that item is rejected. Absent: a failure rejects every item.
   */
  readonly isRefusal?: (err: unknown) => boolean;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (err: unknown) => void;
}

/**
 * Batches items into statements: those of one turn of the event loop, and those that arrive while the permitted number of
 * statements runs. Without a timer, so a single item is not delayed.
 */
export class Batcher<Item, Result> {
  readonly #run: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #bounds: BatcherBounds;
  #waiting: Waiting<Item, Result>[] = [];
  #running = 0;
  #isScheduled = false;

  /** @param run returns results in the order of the items; its failure rejects the items of that statement, or the refused ones alone. */
  constructor(run: (items: readonly Item[]) => Promise<readonly Result[]>, bounds: BatcherBounds) {
    this.#run = run;
    this.#bounds = bounds;
  }

  submit(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ item, resolve, reject });
    this.#schedule();
    return promise;
  }

  /** At the end of the turn, so that its items share a statement. */
  #schedule(): void {
    if (this.#isScheduled || this.#running >= this.#bounds.concurrencyMax) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      while (this.#waiting.length > 0 && this.#running < this.#bounds.concurrencyMax) void this.#next();
    });
  }

  async #next(): Promise<void> {
    const group = this.#waiting.splice(0, this.#bounds.sizeMax);
    this.#running += 1;
    await this.#settle(group);
    this.#running -= 1;
    if (this.#waiting.length > 0) this.#schedule();
  }

  async #settle(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#run(group.map(({ item }) => item));
      group.forEach(({ resolve }, at) => resolve(results[at] as Result));
    } catch (err) {
      if (group.length > 1 && this.#bounds.isRefusal?.(err) === true) {
        const half = Math.ceil(group.length / 2);
        await this.#settle(group.slice(0, half));
        await this.#settle(group.slice(half));
      } else for (const { reject } of group) reject(err);
    }
  }
}
