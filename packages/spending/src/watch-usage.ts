import type { GeneratedText } from "@gatehouse/dialects";
import {
  type CompletionChunk,
  type CompletionStream,
  type CompletionUsage,
  isUsageOnly,
  type TakeBatch,
} from "@gatehouse/providers";

type Batch = readonly CompletionChunk[];

/** Facts about a stream, recorded while it is read. */
interface StreamRecord {
  /** The provider's usage of the whole answer. */
  figure: CompletionUsage | undefined;
  isStreamWhole: boolean;
  /** Collects what the stream brings; absent where it is all passed on. */
  readonly received?: Pick<GeneratedText, "add"> | undefined;
}

/**
 * Records that a stream has ended normally, and the provider's usage from the chunk that only has the usage, even if the caller
 * has left. Usage in earlier chunks, as some servers send, excludes later output.
 */
export function watchUsage({ batches, passTo }: CompletionStream, record: StreamRecord): CompletionStream {
  const watched = { batches: new WatchedBatches(batches, record) };
  return passTo === undefined ? watched : { ...watched, passTo: (take) => passWatched(passTo, take, record) };
}

async function passWatched(
  passTo: NonNullable<CompletionStream["passTo"]>,
  take: TakeBatch,
  record: StreamRecord,
): Promise<void> {
  let isLeft = false;
  const leaveUnlessWanted = (isWanted: boolean) => {
    isLeft = !isWanted;
    return isWanted;
  };
  await passTo((batch) => {
    recordBatch(record, batch);
    const isWanted = take(batch);
    return isWanted instanceof Promise ? isWanted.then(leaveUnlessWanted) : leaveUnlessWanted(isWanted);
  });
  record.isStreamWhole ||= !isLeft;
}

function recordBatch(record: StreamRecord, batch: Batch): void {
  record.figure = batch.findLast(isUsageOnly)?.usage ?? record.figure;
  if (record.received !== undefined) for (const chunk of batch) record.received.add(chunk);
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
    recordBatch(this.#record, value);
    return { done: false, value };
  }

  async return(): Promise<IteratorResult<Batch, undefined>> {
    await this.#batches.return?.();
    return { done: true, value: undefined };
  }
}
