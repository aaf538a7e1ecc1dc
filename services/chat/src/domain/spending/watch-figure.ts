import type { Call } from "../call.ts";
import type { CompletionChunk } from "../completion.ts";
import type { CompletionStream } from "../provider.ts";

type Batch = readonly CompletionChunk[];

/**
 * Notes on the call when the provider's own figure of a stream is whole: when the stream has ended well, or with the chunk that
 * only holds the figure. Figures of earlier chunks, as some servers send them, do not count what was generated after them.
 */
export function watchFigure({ batches }: CompletionStream, call: Pick<Call, "isFigureWhole">): CompletionStream {
  return { batches: new WatchedBatches(batches, call) };
}

/** Not a generator: leaving an iteration that has not begun must reach the stream too. */
class WatchedBatches implements AsyncIterableIterator<Batch> {
  readonly #batches: AsyncIterator<Batch>;
  readonly #call: Pick<Call, "isFigureWhole">;

  constructor(batches: AsyncIterable<Batch>, call: Pick<Call, "isFigureWhole">) {
    this.#batches = batches[Symbol.asyncIterator]();
    this.#call = call;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Batch, undefined>> {
    const { done, value } = await this.#batches.next();
    if (done === true) {
      this.#call.isFigureWhole = true;
      return { done, value: undefined };
    }
    this.#call.isFigureWhole ||= value.some(isFigure);
    return { done: false, value };
  }

  async return(): Promise<IteratorResult<Batch, undefined>> {
    await this.#batches.return?.();
    return { done: true, value: undefined };
  }
}

function isFigure({ choices, usage }: CompletionChunk): boolean {
  return choices.length === 0 && usage !== undefined && usage !== null;
}
