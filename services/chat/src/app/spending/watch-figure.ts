import type { Received } from "../call.ts";
import type { CompletionChunk, CompletionStream } from "@gatehouse/providers";

type Batch = readonly CompletionChunk[];

type Noted = Pick<Received, "figure" | "isStreamWhole">;

/**
 * Notes on the call that its stream has ended well, and the provider's own figure when the chunk comes that only holds the
 * figure, whether the caller is still there or not. Figures of earlier chunks, as some servers send them, do not count what was
 * generated after them.
 */
export function watchFigure({ batches }: CompletionStream, call: Noted): CompletionStream {
  return { batches: new WatchedBatches(batches, call) };
}

/** Not a generator: leaving an iteration that has not begun must reach the stream too. */
class WatchedBatches implements AsyncIterableIterator<Batch> {
  readonly #batches: AsyncIterator<Batch>;
  readonly #call: Noted;

  constructor(batches: AsyncIterable<Batch>, call: Noted) {
    this.#batches = batches[Symbol.asyncIterator]();
    this.#call = call;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Batch, undefined>> {
    const { done, value } = await this.#batches.next();
    if (done === true) {
      this.#call.isStreamWhole = true;
      return { done, value: undefined };
    }
    this.#call.figure = value.findLast(isFigure)?.usage ?? this.#call.figure;
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
