import { andThen } from "@gatehouse/async";
import { later } from "../exchange/later.ts";
import type { CompletionStream, TakeBatch } from "../provider.ts";
import type { Chunks, ChunkSource, NextChunks } from "./chunk-source.ts";

/** Passes a stream on in the fastest way that it has; see {@link CompletionStream.passTo}. */
export async function passStream({ batches, passTo }: CompletionStream, take: TakeBatch): Promise<void> {
  if (passTo !== undefined) return await passTo(take);
  for await (const batch of batches) if (!(await take(batch))) return undefined;
  return undefined;
}

/** Passes the first chunks on, then those of the source. */
export function passChunks(first: Chunks, source: ChunkSource, take: TakeBatch): Promise<void> {
  return new Promise((resolve, reject) => new Passage(source, take, { resolve, reject }).pass(first));
}

interface Ends {
  readonly resolve: () => void;
  readonly reject: (err: unknown) => void;
}

/** Calls `take` where the bytes of a read arrive, without promises and turns of the microtask queue between them. */
class Passage {
  readonly #source: ChunkSource;
  readonly #takeBatch: TakeBatch;
  readonly #ends: Ends;

  constructor(source: ChunkSource, take: TakeBatch, ends: Ends) {
    this.#source = source;
    this.#takeBatch = take;
    this.#ends = ends;
  }

  /** Passes these chunks on, then what has arrived. */
  pass(first: Chunks): void {
    try {
      for (let chunks: NextChunks = first; ; chunks = this.#source.next()) {
        if (chunks === later) return this.#source.onChange?.(this.#onChange);
        const isOver = andThen(chunks, this.#take);
        if (isOver instanceof Promise) return void isOver.then(this.#goOn).catch(this.#fail);
        if (isOver) return this.#ends.resolve();
      }
    } catch (err) {
      return this.#fail(err);
    }
  }

  readonly #onChange = (): void => this.pass([]);

  readonly #goOn = (isOver: boolean): void => (isOver ? this.#ends.resolve() : this.pass([]));

  /** @returns whether the stream is over */
  readonly #take = (chunks: Chunks | undefined): boolean | Promise<boolean> => {
    if (chunks === undefined) return true;
    return chunks.length === 0 ? false : andThen(this.#takeBatch(chunks), this.#leaveUnlessWanted);
  };

  readonly #leaveUnlessWanted = (isWanted: boolean): boolean => {
    if (!isWanted) this.#source.cancel();
    return !isWanted;
  };

  readonly #fail = (err: unknown): void => {
    this.#source.cancel();
    this.#ends.reject(err);
  };
}
