/** Bounds of a {@link Batcher}, in items and in batches under way. */
export interface BatcherBounds {
  /** Items in one statement. */
  readonly sizeMax: number;
  /** Statements at once; items that arrive meanwhile are gathered for the next. */
  readonly concurrencyMax: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (err: unknown) => void;
}

/**
 * Makes one statement of many items: those of one turn of the event loop, and those that arrive while the permitted number of
 * statements runs. No timer is involved, so a single item is as fast as alone.
 */
export class Batcher<Item, Result> {
  readonly #run: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #bounds: BatcherBounds;
  #waiting: Waiting<Item, Result>[] = [];
  #running = 0;
  #isScheduled = false;

  /** @param run results at the items' places; its failure rejects the items of that statement. */
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
    try {
      const results = await this.#run(group.map(({ item }) => item));
      group.forEach(({ resolve }, at) => resolve(results[at] as Result));
    } catch (err) {
      for (const { reject } of group) reject(err);
    } finally {
      this.#running -= 1;
      if (this.#waiting.length > 0) this.#schedule();
    }
  }
}
