import { GeneratedText } from "@gatehouse/dialects";
import {
  type CompletionChunk,
  type CompletionStream,
  type ProviderAddress,
  ProviderError,
  wireText,
} from "@gatehouse/providers";

/** Longest answer that is held, characters of its chunks. */
const heldCharactersMax = 32 * 1024 * 1024;
/** Characters assumed for a token of a window, as in English text. For shorter tokens, more is held. */
export const heldCharactersPerToken = 4;

type Batch = readonly CompletionChunk[];

/**
 * Resolves with the stream once it is complete, or once `tokensMax` tokens have arrived: an earlier break is a failure before the
 * first byte, after which the next target can be tried.
 * @throws ProviderError of the broken stream, or `malformed` for one that is too long to be held
 */
export async function holdStream(
  { batches }: CompletionStream,
  /** Provider named in failure messages. */
  provider: ProviderAddress["provider"],
  /** Tokens to hold; null holds the whole answer. */
  tokensMax: number | null,
  /** Collects what is held, also of a stream that breaks off. */
  text = new GeneratedText(),
): Promise<CompletionStream> {
  const rest = batches[Symbol.asyncIterator]();
  const held: Batch[] = [];
  const windowCharacters = tokensMax === null ? Number.POSITIVE_INFINITY : tokensMax * heldCharactersPerToken;
  let characters = 0;
  while (text.text.length < windowCharacters) {
    const { done, value: batch } = await rest.next();
    if (done === true) break;
    held.push(batch);
    for (const chunk of batch) {
      text.add(chunk);
      characters += (chunk[wireText] ?? JSON.stringify(chunk)).length;
    }
    if (characters > heldCharactersMax) {
      await rest.return?.();
      throw tooLong(provider);
    }
  }
  return { batches: new HeldBatches(held, rest) };
}

/** All chunks of a stream. @throws ProviderError of the broken stream, or `malformed` for one that is too long to be held */
export async function readWhole(batches: AsyncIterable<Batch>, provider: string): Promise<Batch> {
  const whole: CompletionChunk[] = [];
  let characters = 0;
  for await (const batch of batches) {
    for (const chunk of batch) {
      whole.push(chunk);
      characters += (chunk[wireText] ?? JSON.stringify(chunk)).length;
    }
    if (characters > heldCharactersMax) throw tooLong(provider);
  }
  return whole;
}

function tooLong(provider: string): ProviderError {
  return new ProviderError("malformed", `${provider} sent an answer of more than ${heldCharactersMax} characters`);
}

/**
 * Held batches, then the rest, each changed. Not a generator: leaving an iteration that has not begun must cancel the rest too.
 */
export class HeldBatches implements AsyncIterableIterator<Batch> {
  readonly #held: Batch[];
  readonly #rest: AsyncIterator<Batch, unknown> | undefined;
  readonly #change: ((batch: Batch) => Batch) | undefined;

  /** @param change applied to the batches of `rest` */
  constructor(held: readonly Batch[], rest?: AsyncIterator<Batch, unknown>, change?: (batch: Batch) => Batch) {
    this.#held = held.toReversed();
    this.#rest = rest;
    this.#change = change;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Batch, undefined>> {
    const held = this.#held.pop();
    if (held !== undefined) return { done: false, value: held };
    if (this.#rest === undefined) return { done: true, value: undefined };
    const result = await this.#rest.next();
    if (result.done === true) return { done: true, value: undefined };
    return { done: false, value: this.#change?.(result.value) ?? result.value };
  }

  async return(): Promise<IteratorResult<Batch, undefined>> {
    this.#held.length = 0;
    await this.#rest?.return?.();
    return { done: true, value: undefined };
  }
}
