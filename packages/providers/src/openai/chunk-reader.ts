import { isLarge } from "@gatehouse/pace";
import { EventStreamParser, EventTooLarge, type ServerEvent } from "@gatehouse/upstream-http";
import { CompletionProgress } from "../completion-stream/completion-progress.ts";
import type { ChunkSource } from "../completion-stream/peek-stream.ts";
import { fromErrorEvent } from "../exchange/error-reply.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { parseReplyJson, readReplyJson } from "../exchange/json.ts";
import { type CompletionChunk, rememberWireText } from "../forms/completion.ts";
import { ProviderError } from "../provider.ts";
import { findReplyError } from "./find-reply-error.ts";
import { parseCompletionChunk } from "./parse-completion.ts";
import { ReplyIdentity } from "./reply-identity.ts";
import { TextChunkTemplate } from "./text-chunk-template.ts";

/** Longest event of a stream, bytes: a chunk that holds an image as base64 fits. */
const eventBytesMax = 8 * 1024 * 1024;
const endMark = "[DONE]";

interface TextEvent {
  readonly name: string;
  readonly data: string;
}

interface ChunkReaderOptions {
  readonly provider: string;
  /** Removed from all messages. */
  readonly secrets: readonly string[];
  /** The target's; given where the provider names none. */
  readonly model: string;
  /** Unix seconds of the call. */
  readonly nowSeconds: number;
  readonly choices: number;
}

/**
 * Reads the chunks of an OpenAI stream. It ends normally only when every choice that began has finished: an earlier `[DONE]` is
 * ignored, and a missing one is accepted when all requested choices have finished.
 */
export class ChunkReader implements ChunkSource {
  readonly #exchange: Exchange;
  readonly #options: ChunkReaderOptions;
  readonly #parser = new EventStreamParser(eventBytesMax);
  readonly #progress: CompletionProgress;
  readonly #identity: ReplyIdentity;
  readonly #template = new TextChunkTemplate();
  #beganOutput = false;
  #ended = false;
  #failure: unknown;

  constructor(exchange: Exchange, options: ChunkReaderOptions) {
    this.#exchange = exchange;
    this.#options = options;
    this.#progress = new CompletionProgress(options.choices);
    this.#identity = new ReplyIdentity(options.model);
    exchange.limitStream();
  }

  get begun(): boolean {
    return this.#progress.begun;
  }

  async next(): Promise<readonly CompletionChunk[] | undefined> {
    if (this.#ended) return undefined;
    if (this.#failure !== undefined) throw this.#failure;
    try {
      const bytes = await this.#read();
      if (bytes === undefined) return await this.#readEnd();
      return await this.#readChunks(bytes);
    } catch (err) {
      this.#exchange.cancel();
      throw err;
    }
  }

  cancel(): void {
    if (!this.#ended) this.#exchange.cancel();
  }

  /** Reads the next bytes. Once every choice is finished, a broken or stalled connection is a normal end. */
  async #read(): Promise<Buffer | undefined> {
    try {
      return await this.#exchange.read();
    } catch (err) {
      const isEnd = err instanceof ProviderError && err.failure !== "aborted" && err.failure !== "malformed";
      if (isEnd && this.#progress.complete) return undefined;
      throw err;
    }
  }

  /** Returns the chunks that precede a failure in the same read; the failure comes next. */
  async #readChunks(bytes: Buffer): Promise<readonly CompletionChunk[]> {
    const chunks: CompletionChunk[] = [];
    try {
      this.#give(bytes);
      while (!this.#ended) {
        this.#readRun(chunks);
        const event = this.#nextEvent();
        if (event === undefined) break;
        if (event.data === endMark) this.#end(this.#progress.finished);
        else if (isLarge(event.data.length)) chunks.push(this.#readChunk(event, await readReplyJson(event.data)));
        else chunks.push(this.#readShort(event));
      }
    } catch (err) {
      if (chunks.length === 0) throw err;
      this.#failure = err;
      this.#exchange.cancel();
    }
    // The bound of the parser's work is for streams without chunks.
    if (chunks.length > 0) this.#parser.forgetWork();
    this.#tellClock();
    return chunks;
  }

  #give(bytes: Buffer): void {
    try {
      this.#parser.give(bytes);
    } catch (cause) {
      throw this.#unreadable(cause);
    }
  }

  #nextEvent(): TextEvent | undefined {
    try {
      const event = this.#parser.next();
      return event && toText(event);
    } catch (cause) {
      throw this.#unreadable(cause);
    }
  }

  #unreadable(cause: unknown): ProviderError {
    const problem = cause instanceof EventTooLarge ? cause.message : "an event that cannot be read";
    return new ProviderError("malformed", `${this.#options.provider} sent ${problem}`, { cause });
  }

  #readRun(chunks: CompletionChunk[]): void {
    const { unread } = this.#parser;
    const run = unread && this.#template.read(unread);
    if (run === undefined) return;
    this.#parser.skip(run.bytes);
    this.#progress.see(run.chunk);
    chunks.push(run.chunk);
  }

  #readShort(event: TextEvent): CompletionChunk {
    const chunk = this.#readChunk(event, parseReplyJson(event.data));
    if (event.name !== "error") this.#template.learn(event.data, chunk);
    return chunk;
  }

  #readChunk({ name, data }: TextEvent, json: unknown): CompletionChunk {
    const { provider, secrets, nowSeconds } = this.#options;
    const error = findReplyError(provider, json, secrets);
    if (error !== undefined) throw error;
    if (name === "error") throw fromErrorEvent(provider, json ?? data, secrets);
    const parsed = parseCompletionChunk(json, nowSeconds);
    if (parsed === undefined) throw new ProviderError("malformed", `${provider} sent a chunk that cannot be read`);
    const chunk = this.#identity.complete(parsed);
    this.#progress.see(chunk);
    return chunk === json ? rememberWireText(chunk, data) : chunk;
  }

  /** Reads what is left at the end of the bytes; an event without its empty line counts if it is whole. */
  async #readEnd(): Promise<readonly CompletionChunk[] | undefined> {
    const event = this.#parser.end();
    const last = event && toText(event);
    const json = last === undefined || last.data === endMark ? undefined : await readReplyJson(last.data);
    const chunks = last === undefined || json === undefined ? [] : [this.#readChunk(last, json)];
    this.#end(this.#progress.complete);
    return chunks.length === 0 ? undefined : chunks;
  }

  #end(isWhole: boolean): void {
    if (!isWhole) {
      throw new ProviderError("cut", `${this.#options.provider} ended its stream before it was finished`);
    }
    this.#ended = true;
    this.#exchange.finish();
  }

  #tellClock(): void {
    if (this.#ended) return;
    if (this.#progress.begun && !this.#beganOutput) {
      this.#beganOutput = true;
      this.#exchange.clock.outputBegan();
    }
    if (this.#progress.complete) this.#exchange.clock.outputFinished();
  }
}

function toText({ name, data }: ServerEvent): TextEvent {
  return { name, data: data.toString() };
}
