import type { PrismaTransaction } from "@gatehouse/database";

/** Runs `work` in one transaction, which commits when it resolves; a rejection rolls back and is passed on, as in Prisma. */
export type Transact<Transaction> = (work: (transaction: Transaction) => Promise<void>) => Promise<void>;

type Last<Transaction> = (transaction: Transaction) => Promise<void>;

/**
 * One transaction for all writes of a call. It begins with the first write, so that earlier calls to other services hold no
 * locks, and ends with {@link commit} or {@link rollBack}.
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

  /** False once it has ended: work that outlives the call does not join it. */
  get isOpen(): boolean {
    return !this.#isOver;
  }

  /** The transaction if it has begun, for reads that must see its writes. */
  get begun(): Promise<Transaction> | undefined {
    return this.#opened;
  }

  /** Begins the transaction if it has not begun. @throws the error of its first statement */
  async open(): Promise<Transaction> {
    return await (this.#opened ??= this.#begin());
  }

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

  /** Undoes everything. No effect after a successful commit, or before the transaction has begun. */
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
