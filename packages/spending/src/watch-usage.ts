import { type CompletionChunk, type CompletionStream, type CompletionUsage, isUsageOnly } from "@gatehouse/providers";

type Batch = readonly CompletionChunk[];

/** Facts about a stream, recorded while it is read. */
interface StreamRecord {
  /** The provider's own count, of the whole answer. */
  figure: CompletionUsage | undefined;
  isStreamWhole: boolean;
}

/**
 * Records that a stream has ended well, and the provider's own figure when the chunk comes that only holds the
 * figure, whether the caller is still there or not. Figures of earlier chunks, as some servers send them, do not count what was
 * generated after them.
 */
export function watchUsage({ batches }: CompletionStream, record: StreamRecord): CompletionStream {
  return { batches: new WatchedBatches(batches, record) };
}

/** Not a generator: leaving an iteration that has not begun must reach the stream too. */
class WatchedBatches implements AsyncIterableIterator<Batch> {
  readonly #batches: AsyncIterator<Batch>;
  readonly #record: StreamRecord;

  constructor(batches: AsyncIterable<Batch>, record: StreamRecord) {
    this.#batches = batches[Symbol.asyncIterator]();
    this.#record = record;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Batch, undefined>> {
    const { done, value } = await this.#batches.next();
    if (done === true) {
      this.#record.isStreamWhole = true;
      return { done, value: undefined };
    }
    this.#record.figure = value.findLast(isUsageOnly)?.usage ?? this.#record.figure;
    return { done: false, value };
  }

  async return(): Promise<IteratorResult<Batch, undefined>> {
    await this.#batches.return?.();
    return { done: true, value: undefined };
  }
}
