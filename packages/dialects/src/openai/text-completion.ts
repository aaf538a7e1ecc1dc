import type { Completion, CompletionChunk, CompletionUsage } from "@gatehouse/providers";
import { answerOf } from "../chat/chat-reply.ts";

/** Reply object of OpenAI's older completions. Source: OpenAI API reference, "Completions". */
interface TextCompletion {
  readonly object: "text_completion";
  readonly id: string;
  readonly model: string;
  readonly created: number;
  readonly choices: readonly TextChoice[];
  readonly usage?: CompletionUsage | null;
}

interface TextChoice {
  readonly text: string;
  readonly index: number;
  readonly logprobs: null;
  readonly finish_reason: string | null;
}

/** Finish reasons of completions; a chat has others, such as `tool_calls`. */
const finishReasons: ReadonlySet<string> = new Set(["stop", "length", "content_filter"]);

/** Reply object of OpenAI's completions for a chat completion; other finish reasons than theirs become `stop`. */
export function toTextCompletion({ id, model, created, choices, usage }: Completion): TextCompletion {
  return {
    object: "text_completion",
    id,
    model,
    created,
    choices: choices.map((choice) => toChoice(answerOf(choice.message), choice)),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** A chunk in the same form, since chunks are objects of the same kind. */
export function toTextChunk({ id, model, created, choices, usage }: CompletionChunk): TextCompletion {
  return {
    object: "text_completion",
    id,
    model,
    created,
    choices: choices.map((choice) => toChoice(answerOf(choice.delta), choice)),
    ...(usage === undefined ? {} : { usage }),
  };
}

interface Finish {
  readonly index: number;
  readonly finish_reason: string | null;
}

function toChoice(text: string, { index, finish_reason: reason }: Finish): TextChoice {
  const finish = reason === null || finishReasons.has(reason) ? reason : "stop";
  return { text, index, logprobs: null, finish_reason: finish };
}
