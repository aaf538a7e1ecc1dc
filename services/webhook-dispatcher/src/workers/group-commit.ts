export interface GroupCommitBounds {
  /** Items in one statement. */
  readonly sizeMax: number;
  /** Statements at once; while they run, what comes is gathered for the next. */
  readonly concurrencyMax: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (err: unknown) => void;
}

/**
 * Makes one statement of what many ask for at about the same time: what comes while statements run waits for the next. Nothing
 * waits for a timer, so that a single item is as fast as if it were alone.
 */
export class GroupCommit<Item, Result> {
  readonly #run: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #bounds: GroupCommitBounds;
  #waiting: Waiting<Item, Result>[] = [];
  #running = 0;
  #isScheduled = false;

  /** @param run answers at each item's place; what it throws rejects the items of that statement. */
  constructor(run: (items: readonly Item[]) => Promise<readonly Result[]>, bounds: GroupCommitBounds) {
    this.#run = run;
    this.#bounds = bounds;
  }

  submit(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ item, resolve, reject });
    this.#schedule();
    return promise;
  }

  /** At the end of the turn, so that all that is asked for in one goes together. */
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
