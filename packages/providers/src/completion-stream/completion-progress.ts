import type { CompletionChunk, CompletionDelta } from "../forms/completion.ts";

/** Follows a stream of chunks: whether output has begun, and whether everything that began, or was asked for, is finished. */
export class CompletionProgress {
  readonly #choicesAsked: number;
  readonly #open = new Set<number>();
  readonly #finished = new Set<number>();
  #begun = false;

  /** @param choicesAsked how many choices the stream should have; some providers give one whatever was asked */
  constructor(choicesAsked = 1) {
    this.#choicesAsked = choicesAsked;
  }

  /** Whether a chunk with output, or a finish, has been seen. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Whether a choice has finished and none that was seen is still open. */
  get finished(): boolean {
    return this.#finished.size > 0 && this.#open.size === 0;
  }

  /** Whether as many choices have finished as were asked for: nothing more is to come, with or without an end mark. */
  get complete(): boolean {
    return this.finished && this.#finished.size >= this.#choicesAsked;
  }

  see({ choices }: CompletionChunk): void {
    for (const { index, delta, finish_reason: finishReason } of choices) {
      if (finishReason !== null) {
        this.#open.delete(index);
        this.#finished.add(index);
        this.#begun = true;
      } else if (!this.#finished.has(index)) {
        this.#open.add(index);
        this.#begun ||= hasOutput(delta);
      }
    }
  }
}

/** Text, a tool call, reasoning, a refusal, sound: any field but the role that is not empty. */
function hasOutput(delta: CompletionDelta): boolean {
  for (const field in delta) {
    if (field === "role") continue;
    const value = delta[field];
    if (value === null || value === undefined || value === "") continue;
    if (Array.isArray(value) && value.length === 0) continue;
    return true;
  }
  return false;
}
