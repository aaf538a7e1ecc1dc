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
/** Characters that stand for a token of a window: about those of an English text. Where a token is shorter, more is held. */
export const heldCharactersPerToken = 4;

type Batch = readonly CompletionChunk[];

/**
 * Resolves with the stream when its last chunk, or so many tokens of it, are there: a break before that is a failure before its first
 * byte, after which the next target can be asked.
 * @throws ProviderError what the stream broke off with, or `malformed` for one that is too long to be held
 */
export async function holdStream(
  { batches }: CompletionStream,
  /** The provider that messages of failures name. */
  provider: ProviderAddress["provider"],
  /** Tokens that are held; null holds the whole answer. */
  tokensMax: number | null,
): Promise<CompletionStream> {
  const rest = batches[Symbol.asyncIterator]();
  const held: Batch[] = [];
  const text = new GeneratedText();
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

/** All chunks of a stream. @throws ProviderError what it broke off with, or `malformed` for one that is too long to be held */
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
  return new ProviderError("malformed", `${provider} sent an answer that is too long`);
}

/** Held batches, then the rest. Written by hand: leaving an iteration that has not begun must cancel the rest too. */
export class HeldBatches implements AsyncIterableIterator<Batch> {
  readonly #held: Batch[];
  readonly #rest: AsyncIterator<Batch, unknown> | undefined;

  constructor(held: readonly Batch[], rest?: AsyncIterator<Batch, unknown>) {
    this.#held = held.toReversed();
    this.#rest = rest;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Batch, undefined>> {
    const held = this.#held.pop();
    if (held !== undefined) return { done: false, value: held };
    if (this.#rest === undefined) return { done: true, value: undefined };
    const result = await this.#rest.next();
    return result.done === true ? { done: true, value: undefined } : { done: false, value: result.value };
  }

  async return(): Promise<IteratorResult<Batch, undefined>> {
    this.#held.length = 0;
    await this.#rest?.return?.();
    return { done: true, value: undefined };
  }
}
