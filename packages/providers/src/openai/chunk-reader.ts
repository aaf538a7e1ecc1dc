import { isLarge } from "@gatehouse/pace";
import { EventStreamParser, EventTooLarge, type ServerEvent } from "@gatehouse/upstream-http";
import type { Chunks, ChunkSource, NextChunks } from "../completion-stream/chunk-source.ts";
import { CompletionProgress } from "../completion-stream/completion-progress.ts";
import { fromErrorEvent } from "../exchange/error-reply.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { parseReplyJson, readReplyJson } from "../exchange/json.ts";
import { isKeepAlive } from "../exchange/keep-alive.ts";
import { later } from "../exchange/later.ts";
import { type CompletionChunk, rememberWireText } from "../forms/completion.ts";
import { ProviderError } from "../provider.ts";
import { DeltaFields } from "./delta-fields.ts";
import { findReplyError } from "./find-reply-error.ts";
import { choicesMax, parseCompletionChunk } from "./parse-completion.ts";
import { ReplyIdentity } from "./reply-identity.ts";
import { TextChunkTemplate } from "./text-chunk-template.ts";

/** Longest event of a stream, bytes: a chunk that holds an image as base64 fits. */
const eventBytesMax = 8 * 1024 * 1024;
/** Bytes of an unfinished event from which on more of it counts as output: no keep-alive is as long. */
const partBytesMin = 1_024;
/** Most chunks before the first with output, up to which they are kept. */
const quietChunksMax = 100_000;
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
  readonly #deltas = new DeltaFields();
  readonly #template = new TextChunkTemplate();
  #toldFinish = false;
  /** Chunks so far, up to the first read with output. */
  #quietChunks = 0;
  /** Bytes of the unfinished event after the last read. */
  #partBytes = 0;
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

  next(): NextChunks {
    if (this.#ended) return undefined;
    if (this.#failure !== undefined) throw this.#failure;
    let bytes: ReturnType<Exchange["readNow"]>;
    try {
      bytes = this.#exchange.readNow();
    } catch (err) {
      return this.#onLost(err);
    }
    if (bytes === later) return later;
    return bytes instanceof Promise ? bytes.then(this.#onRead, this.#onLost) : this.#onRead(bytes);
  }

  onChange(wake: () => void): void {
    this.#exchange.onChange(wake);
  }

  cancel(): void {
    if (!this.#ended) this.#exchange.cancel();
  }

  /** Synchronous where no event is long. */
  readonly #onRead = (bytes: Buffer | undefined): Chunks | undefined | Promise<Chunks | undefined> => {
    try {
      const read = bytes === undefined ? this.#readEnd() : this.#readChunks(bytes);
      return read instanceof Promise ? read.catch(this.#onFailure) : read;
    } catch (err) {
      return this.#onFailure(err);
    }
  };

  /** Once every choice is finished, a broken or stalled connection is a normal end. */
  readonly #onLost = (err: unknown): Chunks | undefined | Promise<Chunks | undefined> => {
    const isEnd = err instanceof ProviderError && err.failure !== "aborted" && err.failure !== "malformed";
    return isEnd && this.#progress.complete ? this.#onRead(undefined) : this.#onFailure(err);
  };

  readonly #onFailure = (err: unknown): never => {
    this.#exchange.cancel();
    throw err;
  };

  #readChunks(bytes: Buffer): Chunks | Promise<Chunks> {
    this.#give(bytes);
    return this.#readEvents([]);
  }

  /** Adds the chunks of the unread events. Those that precede a failure in the same read are returned; the failure comes next. */
  #readEvents(chunks: CompletionChunk[]): Chunks | Promise<Chunks> {
    try {
      while (!this.#ended) {
        this.#readRun(chunks);
        const event = this.#nextEvent();
        if (event === undefined) break;
        if (isKeepAlive(event)) continue;
        if (event.data === endMark) this.#end(this.#progress.finished);
        else if (isLarge(event.data.length)) return this.#readLong(event, chunks);
        else addTo(chunks, this.#readShort(event));
      }
    } catch (err) {
      this.#keepFailure(err, chunks);
    }
    return this.#endRead(chunks);
  }

  async #readLong(event: TextEvent, chunks: CompletionChunk[]): Promise<Chunks> {
    try {
      addTo(chunks, this.#readChunk(event, await readReplyJson(event.data)));
    } catch (err) {
      this.#keepFailure(err, chunks);
      return this.#endRead(chunks);
    }
    return await this.#readEvents(chunks);
  }

  #keepFailure(err: unknown, chunks: Chunks): void {
    if (chunks.length === 0) throw err;
    this.#failure = err;
    this.#exchange.cancel();
  }

  #endRead(chunks: Chunks): Chunks {
    // The bound of the parser's work is for streams without chunks.
    if (chunks.length > 0) this.#parser.forgetWork();
    this.#tellClock();
    if (!this.#progress.begun) this.#countQuiet(chunks);
    return chunks;
  }

  #countQuiet({ length }: Chunks): void {
    this.#quietChunks += length;
    if (this.#quietChunks <= quietChunksMax) return;
    const problem = `sent more than ${quietChunksMax} chunks before any output`;
    throw new ProviderError("malformed", `${this.#options.provider} ${problem}`);
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

  #readShort(event: TextEvent): CompletionChunk | undefined {
    const chunk = this.#readChunk(event, parseReplyJson(event.data));
    if (chunk !== undefined && event.name !== "error") this.#template.learn(event.data, chunk);
    return chunk;
  }

  /** The event's chunk; none for an unreadable event after a complete answer, which it ends. */
  #readChunk({ name, data }: TextEvent, json: unknown): CompletionChunk | undefined {
    const { provider, secrets, nowSeconds } = this.#options;
    const error = findReplyError(provider, json, secrets);
    if (error !== undefined) throw error;
    if (name === "error") throw fromErrorEvent(provider, json ?? data, secrets);
    const parsed = parseCompletionChunk(json, nowSeconds);
    if (parsed === undefined) {
      if (!this.#progress.complete)
        throw new ProviderError("malformed", `${provider} sent a chunk that cannot be read`);
      this.#end(true);
      return undefined;
    }
    const chunk = this.#deltas.complete(this.#identity.complete(parsed));
    if (this.#deltas.choices > choicesMax)
      throw new ProviderError("malformed", `${provider} sent more than ${choicesMax} choices`);
    this.#progress.see(chunk);
    return chunk === json ? rememberWireText(chunk, data) : chunk;
  }

  /** Reads what is left at the end of the bytes; an event without its empty line counts if it is whole. */
  async #readEnd(): Promise<Chunks | undefined> {
    const event = this.#parser.end();
    const last = event && toText(event);
    const json = last === undefined || last.data === endMark ? undefined : await readReplyJson(last.data);
    const chunk = last === undefined || json === undefined ? undefined : this.#readChunk(last, json);
    this.#end(this.#progress.complete);
    return chunk && [chunk];
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
    const longEventGrew = this.#longEventGrew();
    if (this.#progress.takeNews() || longEventGrew) this.#exchange.clock.outputArrived();
    if (!this.#progress.complete || this.#toldFinish) return;
    this.#toldFinish = true;
    this.#exchange.clock.outputFinished();
  }

  /** Whether more of a long event has arrived, such as an image, after the first output. */
  #longEventGrew(): boolean {
    const before = this.#partBytes;
    this.#partBytes = this.#parser.heldBytes;
    return this.#progress.begun && this.#partBytes >= partBytesMin && this.#partBytes > before;
  }
}

function addTo(chunks: CompletionChunk[], chunk: CompletionChunk | undefined): void {
  if (chunk !== undefined) chunks.push(chunk);
}

function toText({ name, data }: ServerEvent): TextEvent {
  return { name, data: data.toString() };
}
