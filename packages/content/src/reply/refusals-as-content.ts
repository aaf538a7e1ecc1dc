import { answerOf } from "@gatehouse/dialects";
import type { Completion, CompletionChunk, CompletionStream } from "@gatehouse/providers";
import { HeldBatches } from "./hold-stream.ts";

type Said = Readonly<Record<string, unknown>>;

/**
 * The answer with each refusal at the end of its content, for callers whose form has no other place for it: what they read as one
 * text is judged as one. An answer without a refusal is returned as it is.
 */
export function refusalsAsContent(completion: Completion): Completion {
  if (!completion.choices.some(({ message }) => isRefusal(message))) return completion;
  const choices = completion.choices.map((choice) => ({ ...choice, message: withContent(choice.message) }));
  return { ...completion, choices };
}

/** The stream with each of its deltas changed as by {@link refusalsAsContent}, so that texts keep the order in which they come. */
export function refusalsAsContentOfStream({ batches }: CompletionStream): CompletionStream {
  const change = (batch: readonly CompletionChunk[]) => batch.map(withContents);
  return { batches: new HeldBatches([], batches[Symbol.asyncIterator](), change) };
}

function withContents(chunk: CompletionChunk): CompletionChunk {
  if (!chunk.choices.some(({ delta }) => isRefusal(delta))) return chunk;
  return { ...chunk, choices: chunk.choices.map((choice) => ({ ...choice, delta: withContent(choice.delta) })) };
}

function isRefusal({ refusal }: Said): boolean {
  return typeof refusal === "string" && refusal !== "";
}

function withContent<T extends Said>(said: T): T {
  return isRefusal(said) ? { ...said, content: answerOf(said), refusal: null } : said;
}
