import {
  type CompletionChunk,
  type CompletionChunkChoice,
  type CompletionStream,
  isEmptyField,
  ProviderError,
} from "@gatehouse/providers";
import { ContinuationJoiner } from "./continuation-joiner.ts";

type Batch = readonly CompletionChunk[];

/** Asks another target to continue the text. Undefined where none does, and the stream has broken off. */
type GoOn = (text: string, failure: ProviderError) => Promise<CompletionStream | undefined>;

/**
 * A stream that another target continues where the first breaks off. Only text can be continued, not tool calls, reasoning or
 * several answers, which a prefill cannot express; a second part with any of these fails. All chunks have the first stream's head;
 * the second's token counts are dropped, since they cover its part only.
 */
export function continueStream(stream: CompletionStream, goOn: GoOn): CompletionStream {
  return { batches: new ContinuedBatches(stream, goOn) };
}

class ContinuedBatches implements AsyncIterableIterator<Batch> {
  readonly #goOn: GoOn;
  readonly #written = new WrittenText();
  #batches: AsyncIterator<Batch>;
  #joiner: ContinuationJoiner | undefined;
  #hasGoneOn = false;

  constructor({ batches }: CompletionStream, goOn: GoOn) {
    this.#batches = batches[Symbol.asyncIterator]();
    this.#goOn = goOn;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Batch, undefined>> {
    for (;;) {
      const result = await this.#read();
      if (result.done === true) return { done: true, value: undefined };
      const batch = this.#hasGoneOn ? await this.#join(result.value) : this.#see(result.value);
      if (batch.length > 0) return { done: false, value: batch };
    }
  }

  async return(): Promise<IteratorResult<Batch, undefined>> {
    await this.#batches.return?.();
    return { done: true, value: undefined };
  }

  async #read(): Promise<IteratorResult<Batch, unknown>> {
    try {
      return await this.#batches.next();
    } catch (err) {
      if (this.#hasGoneOn || !(err instanceof ProviderError) || !err.mayFailOver) throw err;
      const { text } = this.#written;
      const next = text === undefined ? undefined : await this.#goOn(text, err);
      if (text === undefined || next === undefined) throw err;
      this.#hasGoneOn = true;
      this.#joiner = new ContinuationJoiner(text);
      this.#batches = next.batches[Symbol.asyncIterator]();
      return await this.#batches.next();
    }
  }

  #see(batch: Batch): Batch {
    for (const chunk of batch) this.#written.see(chunk);
    return batch;
  }

  async #join(batch: Batch): Promise<Batch> {
    try {
      return batch.flatMap((chunk) => {
        const choices = chunk.choices.flatMap((choice) => this.#joinChoice(choice));
        return choices.length === 0 ? [] : [{ ...this.#written.head, choices }];
      });
    } catch (err) {
      await this.return();
      throw err;
    }
  }

  #joinChoice(choice: CompletionChunkChoice): readonly CompletionChunkChoice[] {
    if (!isPlainText(choice)) {
      throw new ProviderError("malformed", "the next model continued the text with more than text");
    }
    const { content } = choice.delta;
    const isEnd = choice.finish_reason !== null;
    const text = `${this.#joiner?.push(typeof content === "string" ? content : "") ?? ""}${isEnd ? (this.#joiner?.end() ?? "") : ""}`;
    if (text === "" && !isEnd) return [];
    return [{ index: 0, delta: text === "" ? {} : { content: text }, finish_reason: choice.finish_reason }];
  }
}

type Head = Pick<CompletionChunk, "id" | "model" | "created"> & { readonly object?: unknown };

/** Text of a stream, as long as it is only the text of one unfinished answer. */
class WrittenText {
  #text = "";
  #isPlain = true;
  #head: CompletionChunk | undefined;

  /** Text so far; undefined where another target cannot continue it. */
  get text(): string | undefined {
    return this.#isPlain && this.#text !== "" ? this.#text : undefined;
  }

  /** Fields that all chunks of the stream repeat. */
  get head(): CompletionChunk {
    const { id, model, created, object }: Head = this.#head ?? {
      id: "",
      model: "",
      created: 0,
    };
    return { id, model, created, choices: [], ...(object === undefined ? {} : { object }) };
  }

  see(chunk: CompletionChunk): void {
    this.#head ??= chunk;
    for (const choice of chunk.choices) {
      const { content } = choice.delta;
      this.#isPlain &&= choice.finish_reason === null && isPlainText(choice);
      if (typeof content === "string") this.#text += content;
    }
  }
}

/** Whether a choice adds to the text of the only answer, and nothing else. Log probabilities cannot be joined as the text is. */
function isPlainText({ index, delta, logprobs }: CompletionChunkChoice): boolean {
  const { content: _content, role: _role, ...rest } = delta;
  return index === 0 && isEmptyField(logprobs) && Object.values(rest).every(isEmptyField);
}
