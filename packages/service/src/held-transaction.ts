import type { PrismaTransaction } from "@gatehouse/database";

/** Runs work in one transaction, as Prisma does. */
export type Transact<Transaction> = (work: (transaction: Transaction) => Promise<void>) => Promise<void>;

type Last<Transaction> = (transaction: Transaction) => Promise<void>;

/**
 * One transaction for all that a call writes: it begins with the first write, so that what the call asks of others before holds no
 * lock, and ends with {@link commit} or {@link rollBack}.
 */
export class HeldTransaction<Transaction extends PrismaTransaction> {
  readonly #transact: Transact<Transaction>;
  readonly #first: (transaction: Transaction) => Promise<void>;
  readonly #last = Promise.withResolvers<Last<Transaction>>();
  readonly #onCommitted: (() => void)[] = [];
  #opened: Promise<Transaction> | undefined;
  #ended: Promise<void> | undefined;
  #isOver = false;

  /** @param first runs as the transaction begins */
  constructor(transact: Transact<Transaction>, first: (transaction: Transaction) => Promise<void>) {
    this.#transact = transact;
    this.#first = first;
    this.#last.promise.catch(() => {});
  }

  /** False once it has ended: work that the call has left behind is no part of it. */
  get isOpen(): boolean {
    return !this.#isOver;
  }

  /** The transaction where it has begun, for reads that are to see its writes. */
  get begun(): Promise<Transaction> | undefined {
    return this.#opened;
  }

  /** Begins the transaction where it has not. @throws what its first statement throws */
  async open(): Promise<Transaction> {
    return await (this.#opened ??= this.#begin());
  }

  /** Something to do once it is committed. */
  onCommitted(work: () => void): void {
    this.#onCommitted.push(work);
  }

  /** @param last runs before the commit */
  async commit(last: Last<Transaction>): Promise<void> {
    await this.open();
    this.#isOver = true;
    this.#last.resolve(last);
    await this.#ended;
    for (const work of this.#onCommitted) work();
  }

  /** Undoes everything. Does nothing after a successful commit, or before the transaction has begun. */
  async rollBack(): Promise<void> {
    this.#isOver = true;
    this.#last.reject(new Error("The call was not completed."));
    await this.#ended?.catch(() => {});
  }

  #begin(): Promise<Transaction> {
    const { promise, resolve, reject } = Promise.withResolvers<Transaction>();
    this.#ended = this.#transact(async (transaction) => {
      await this.#first(transaction);
      resolve(transaction);
      await (
        await this.#last.promise
      )(transaction);
    });
    this.#ended.catch(reject);
    return promise;
  }
}
