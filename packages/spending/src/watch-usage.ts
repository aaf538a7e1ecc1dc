import { type CompletionChunk, type CompletionStream, type CompletionUsage, isUsageOnly } from "@gatehouse/providers";

type Batch = readonly CompletionChunk[];

/** Facts about a stream, recorded while it is read. */
interface StreamRecord {
  /** The provider's usage of the whole answer. */
  figure: CompletionUsage | undefined;
  isStreamWhole: boolean;
}

/**
 * Records that a stream has ended normally, and the provider's usage from the chunk that only has the usage, even if the caller
 * has left. Usage in earlier chunks, as some servers send, excludes later output.
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
