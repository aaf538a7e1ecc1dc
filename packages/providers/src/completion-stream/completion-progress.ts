import { asRecord } from "../exchange/json.ts";
import { type CompletionChunk, type CompletionDelta, isEmptyField } from "../forms/completion.ts";

/** Follows a stream of chunks: whether output has begun, and whether all choices, seen or requested, are finished. */
export class CompletionProgress {
  readonly #choicesAsked: number;
  readonly #open = new Set<number>();
  readonly #finished = new Set<number>();
  #begun = false;
  #hasNews = false;

  /** @param choicesAsked number of choices requested; some providers return one regardless */
  constructor(choicesAsked = 1) {
    this.#choicesAsked = choicesAsked;
  }

  /** Whether a chunk with output, or a finish, has been seen. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Whether a choice has finished and no other seen choice is still open. */
  get finished(): boolean {
    return this.#finished.size > 0 && this.#open.size === 0;
  }

  /** Whether all requested choices have finished: nothing more follows, with or without an end mark. */
  get complete(): boolean {
    return this.finished && this.#finished.size >= this.#choicesAsked;
  }

  /** Whether output, or a finish, has been seen since the last call. */
  takeNews(): boolean {
    const hasNews = this.#hasNews;
    this.#hasNews = false;
    return hasNews;
  }

  see({ choices }: CompletionChunk): void {
    for (const { index, delta, finish_reason: finishReason } of choices) {
      if (finishReason !== null) {
        this.#open.delete(index);
        this.#finished.add(index);
        this.#hasNews = true;
      } else if (!this.#finished.has(index)) {
        this.#open.add(index);
        this.#hasNews ||= hasOutput(delta);
      }
    }
    this.#begun ||= this.#hasNews;
  }
}

/** Whether any field but the role is not empty: text, a tool call, reasoning, a refusal, sound. */
function hasOutput(delta: CompletionDelta): boolean {
  for (const field in delta) {
    const value = delta[field];
    if (field === "role" || isEmptyField(value)) continue;
    if (field !== "tool_calls" || !Array.isArray(value) || !value.every(addsNothing)) return true;
  }
  return false;
}

/** Whether a part of a tool call has only the call's place and empty texts, as keep-alives of some servers do. */
function addsNothing(call: unknown): boolean {
  const { function: called, index, ...others } = asRecord(call) ?? {};
  const texts = asRecord(called);
  return (
    texts !== undefined &&
    index !== undefined &&
    [...Object.values(texts), ...Object.values(others)].every(isEmptyField)
  );
}
