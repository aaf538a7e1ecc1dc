import type { CompletionChunk, CompletionDelta } from "../../../domain/completion.ts";

/** Follows a stream of chunks: whether output has begun, and whether everything that began is finished. */
export class CompletionProgress {
  readonly #open = new Set<number>();
  readonly #finished = new Set<number>();
  #begun = false;

  /** Whether a chunk with output, or a finish, has been seen. */
  get begun(): boolean {
    return this.#begun;
  }

  /** Whether a choice has finished and none that was seen is still open. */
  get finished(): boolean {
    return this.#finished.size > 0 && this.#open.size === 0;
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
