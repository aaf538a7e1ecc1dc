import type { CompletionChunk, CompletionDelta } from "../forms/completion.ts";

/** Follows a stream of chunks: whether output has begun, and whether all choices, seen or requested, are finished. */
export class CompletionProgress {
  readonly #choicesAsked: number;
  readonly #open = new Set<number>();
  readonly #finished = new Set<number>();
  #begun = false;

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

/** Whether any field but the role is not empty: text, a tool call, reasoning, a refusal, sound. */
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
