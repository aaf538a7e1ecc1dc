import type { CompletionChunk } from "../forms/completion.ts";
import type { CompletionStream, TakeBatch } from "../provider.ts";
import { type ChunkSource, nextChunks } from "./chunk-source.ts";
import { passChunks } from "./pass-chunks.ts";

/**
 * Resolves at the first output; the stream's first batch has all chunks up to it. An earlier failure rejects, a later one is
 * thrown by the iteration.
 */
export async function peekStream(source: ChunkSource): Promise<CompletionStream> {
  const first: CompletionChunk[] = [];
  while (!source.begun) {
    const chunks = await nextChunks(source);
    if (chunks === undefined) break;
    first.push(...chunks);
  }
  const batches = new StreamBatches(joinPreface(first), source);
  return { batches, passTo: (take) => batches.passTo(take) };
}

/**
 * Joins the first chunks to the next one where they have neither choices nor usage, as Azure's filter results of the prompt:
 * clients expect the role first.
 */
function joinPreface(chunks: readonly CompletionChunk[]): readonly CompletionChunk[] {
  const count = chunks.findIndex(({ choices, usage }) => choices.length > 0 || (usage !== undefined && usage !== null));
  const first = chunks[count];
  if (count < 1 || first === undefined) return chunks;
  const joined = {};
  // One by one: there may be more of them than a call takes arguments.
  for (const chunk of chunks.slice(0, count)) Object.assign(joined, chunk);
  return [Object.assign(joined, first), ...chunks.slice(count + 1)];
}

type BatchResult = IteratorResult<readonly CompletionChunk[], undefined>;

const end: BatchResult = { done: true, value: undefined };

/** Not a generator: leaving an iteration that has not begun must cancel too. */
class StreamBatches implements AsyncIterableIterator<readonly CompletionChunk[]> {
  readonly #source: ChunkSource;
  #first: readonly CompletionChunk[] | undefined;
  #done = false;

  constructor(first: readonly CompletionChunk[], source: ChunkSource) {
    this.#first = first;
    this.#source = source;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<BatchResult> {
    if (this.#done) return Promise.resolve(end);
    const first = this.#first;
    this.#first = undefined;
    if (first !== undefined && first.length > 0) return Promise.resolve({ done: false, value: first });
    return this.#read();
  }

  return(): Promise<BatchResult> {
    if (!this.#done) this.#source.cancel();
    this.#done = true;
    return Promise.resolve(end);
  }

  /** In place of an iteration. */
  passTo(take: TakeBatch): Promise<void> {
    const first = this.#first ?? [];
    this.#first = undefined;
    this.#done = true;
    return passChunks(first, this.#source, take);
  }

  #read(): Promise<BatchResult> {
    return nextChunks(this.#source).then(this.#onChunks, this.#onFailure);
  }

  readonly #onChunks = (chunks: readonly CompletionChunk[] | undefined): BatchResult | Promise<BatchResult> => {
    if (chunks === undefined) {
      this.#done = true;
      return end;
    }
    return chunks.length > 0 ? { done: false, value: chunks } : this.#read();
  };

  readonly #onFailure = (err: unknown): never => {
    this.#done = true;
    throw err;
  };
}
