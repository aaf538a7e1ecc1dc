import { isGatewayError } from "@gatehouse/errors";
import type { PieceAnswer, StreamState } from "@gatehouse/guardrail-client";
import { Pace } from "@gatehouse/pace";
import type { CompletionChunk, CompletionChunkChoice, CompletionStream } from "@gatehouse/providers";
import { isEmptyDelta, isNamePlace, placeKey, replaceDelta, restChunk, type StreamPlace } from "./stream-texts.ts";

type Batch = readonly CompletionChunk[];
/** A verdict that decides how much of a stream may be shown. */
export type JudgedPiece = Extract<PieceAnswer, { readonly kind: "judged" }>;

/** Guardrails of one streamed answer, for each of its texts. */
export interface StreamGuard {
  /** Judges the next piece of one text. Throws the error that ends the stream. */
  readonly judge: (
    piece: Pick<JudgedPiece, "state"> & { text: string; isLast: boolean; place: StreamPlace },
  ) => Promise<JudgedPiece>;
  /** Called once, after the stream has ended, also by a failure of the provider. */
  readonly onEnd: () => void;
}

/** Shortest piece without a blank that is inspected, since its last word cannot be shown yet. */
const askedLengthMin = 256;
const askedLengthMax = 16_384;
/** Most chunks without text that are read ahead of a stream. */
const readAheadMax = 10_000;
/** End of a tool's name that is judged, characters; some servers send the whole name with every chunk. */
const nameLengthMax = 512;
/** Blanks, and letters of scripts that do not separate words. */
const wordEnd = /[\s\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]/u;

interface OpenText {
  readonly place: StreamPlace;
  state: StreamState | undefined;
  /** Text since the last inspection. */
  pending: string;
}

/**
 * Passes a stream on under its guardrails: texts that may still become a finding are held back, masked text is replaced, and a
 * block ends the stream and the provider's work. Resolves at the first text to show, or after very many chunks without text; a block
 * before that rejects.
 */
export async function guardStream({ batches }: CompletionStream, guard: StreamGuard): Promise<CompletionStream> {
  const guarded = new GuardedBatches(batches, guard);
  await guarded.begin();
  return { batches: guarded };
}

/** Not a generator: leaving an iteration that has not begun must reach the stream too. */
class GuardedBatches implements AsyncIterableIterator<Batch> {
  readonly #batches: AsyncIterator<Batch>;
  readonly #guard: StreamGuard;
  /** By choice and place: a stream may have very many choices. */
  readonly #open = new Map<number, Map<string, OpenText>>();
  /** Last finish of each choice. Held back: text may go on after it, and what is held of a text is shown before it. */
  readonly #finishes = new Map<number, CompletionChunk>();
  /** Last counts that came after a finish. */
  #usage: CompletionChunk | undefined;
  /** Names of tools so far. */
  readonly #names = new Map<string, string>();
  /** Yields to the event loop: within one process inspections take no turn of it, and one delta of a provider may need thousands. */
  readonly #pace = new Pace();
  #head: CompletionChunk | undefined;
  #isOver = false;
  /** Whether there was text to show, or an end, so that a failure is no refusal. */
  #isShown = false;
  /** Chunks that were read ahead. */
  #ready: CompletionChunk[] = [];
  /** Failure that ended the stream, to be thrown after the chunks before it. */
  #failure: { readonly cause: unknown } | undefined;

  constructor(batches: AsyncIterable<Batch>, guard: StreamGuard) {
    this.#batches = batches[Symbol.asyncIterator]();
    this.#guard = guard;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Reads up to the first text to show. @throws GatewayError of the guard; a provider's failure is thrown by `next`. */
  async begin(): Promise<void> {
    try {
      for (let hasBegun = false; !hasBegun && this.#ready.length < readAheadMax;) {
        const { done, value } = await this.#read();
        if (done === true) break;
        for (const chunk of value) this.#ready.push(chunk);
        hasBegun = value.some(hasText);
      }
      this.#isShown = true;
    } catch (cause) {
      if (isGatewayError(cause)) throw cause;
      this.#failure = { cause };
    }
  }

  async next(): Promise<IteratorResult<Batch, undefined>> {
    if (this.#ready.length > 0) {
      const value = this.#ready;
      this.#ready = [];
      return { done: false, value };
    }
    return await this.#read();
  }

  /** The next chunks that may be shown. Chunks before a failure come first, the failure with the next read. */
  async #read(): Promise<IteratorResult<Batch, undefined>> {
    if (this.#failure !== undefined) throw this.#failure.cause;
    try {
      while (!this.#isOver) {
        const { done, value } = await this.#nextBatch();
        this.#pace.restart();
        const chunks = done === true ? await this.#finish() : await this.#guardBatch(value);
        if (chunks.length > 0) return { done: false, value: chunks };
      }
      return this.#end();
    } catch (err) {
      // A reader does not leave an iteration that failed, so the provider would go on.
      if (!this.#isOver) await this.return();
      throw err;
    }
  }

  /** @throws what ended the stream, where it failed */
  #end(): IteratorResult<Batch, undefined> {
    if (this.#failure !== undefined) throw this.#failure.cause;
    return { done: true, value: undefined };
  }

  /** The provider's next batch. A failure ends texts that have begun to be shown: what is held back of them comes before it. */
  async #nextBatch(): Promise<IteratorResult<Batch, unknown>> {
    try {
      return await this.#batches.next();
    } catch (cause) {
      if (!this.#isShown) throw cause;
      this.#failure = { cause };
      await this.return();
      return { done: true, value: undefined };
    }
  }

  async return(): Promise<IteratorResult<Batch, undefined>> {
    this.#isOver = true;
    await this.#batches.return?.();
    return { done: true, value: undefined };
  }

  async #finish(): Promise<Batch> {
    this.#isOver = true;
    const rest: Batch[] = [];
    for (const choice of this.#open.keys()) rest.push(await this.#restOf(choice));
    rest.push([...this.#finishes.values()]);
    if (this.#usage !== undefined) rest.push([this.#usage]);
    this.#guard.onEnd();
    return rest.flat();
  }

  async #guardBatch(batch: Batch): Promise<Batch> {
    const shown: CompletionChunk[] = [];
    try {
      for (const chunk of batch) shown.push(...(await this.#guardChunk(chunk)));
    } catch (cause) {
      if (shown.length === 0) throw cause;
      this.#failure = { cause };
      await this.return();
    }
    return shown;
  }

  async #guardChunk(chunk: CompletionChunk): Promise<Batch> {
    this.#head ??= chunk;
    const hasUsage = chunk.usage !== undefined && chunk.usage !== null;
    if (chunk.choices.length === 0) {
      if (!hasUsage || this.#finishes.size === 0) return [chunk];
      this.#usage = chunk;
      return [];
    }
    const choices: CompletionChunkChoice[] = [];
    let isFinished = false;
    for (const choice of chunk.choices) {
      let guarded = await replaceDelta(choice, async (place, text) => await this.#next(place, text));
      if (choice.finish_reason !== null && choice.finish_reason !== undefined) {
        isFinished = true;
        this.#finishes.set(choice.index, { ...chunk, usage: null, choices: [{ ...guarded, delta: {} }] });
        guarded = { ...guarded, finish_reason: null };
      }
      if (!isEmptyDelta(guarded)) choices.push(guarded);
    }
    if (isFinished && hasUsage) {
      this.#usage = { ...chunk, choices: [] };
      return choices.length > 0 ? [{ ...chunk, usage: null, choices }] : [];
    }
    return choices.length > 0 || hasUsage ? [{ ...chunk, choices }] : [];
  }

  async #next(place: StreamPlace, text: string): Promise<string> {
    const key = placeKey(place);
    if (isNamePlace(place)) return await this.#nextOfName(place, key, text);
    const ofChoice = this.#open.get(place.choice) ?? new Map<string, OpenText>();
    const open = ofChoice.get(key) ?? { place, state: undefined, pending: "" };
    if (ofChoice.size === 0) this.#open.set(place.choice, ofChoice);
    ofChoice.set(key, open);
    open.pending += text;
    if (open.pending.length < askedLengthMin && !wordEnd.test(text)) return "";
    return await this.#ask(open, false);
  }

  /**
   * Judges a name with each of its pieces, joined as a client may join them; the first piece is replaced, and further ones of a
   * masked name are left out.
   */
  async #nextOfName(place: StreamPlace, key: string, piece: string): Promise<string> {
    const known = this.#names.get(key) ?? "";
    const name = (known + piece).slice(-nameLengthMax);
    this.#names.set(key, name);
    const { shown } = await this.#guard.judge({ state: undefined, text: name, isLast: true, place });
    if (shown === name) return piece;
    return known === "" ? shown : "";
  }

  /** Text of a choice that is still held back; the stream has ended. */
  async #restOf(choice: number): Promise<CompletionChunk[]> {
    const chunks: CompletionChunk[] = [];
    const ofChoice = this.#open.get(choice);
    this.#open.delete(choice);
    for (const open of ofChoice?.values() ?? []) {
      const text = await this.#ask(open, true);
      if (text !== "" && this.#head !== undefined) chunks.push(restChunk(this.#head, open.place, text));
    }
    return chunks;
  }

  async #ask(open: OpenText, isLast: boolean): Promise<string> {
    let shown = "";
    do {
      await this.#pace.rest();
      const text = open.pending.slice(0, askedLengthMax);
      open.pending = open.pending.slice(askedLengthMax);
      const { state, place } = open;
      const answer = await this.#guard.judge({ state, text, isLast: isLast && open.pending === "", place });
      open.state = answer.state;
      shown += answer.shown;
    } while (open.pending !== "");
    return shown;
  }
}

/** Whether a chunk shows text, or the end of a choice. */
function hasText({ choices }: CompletionChunk): boolean {
  return choices.some(({ delta, finish_reason: reason }) => {
    if (reason !== null && reason !== undefined) return true;
    return Object.entries(delta).some(([field, value]) => field !== "role" && value !== "" && value !== null);
  });
}
