import { encodeJson } from "@gatehouse/json";
import { isLarge } from "@gatehouse/pace";
import {
  type Completion,
  type CompletionChunk,
  type CompletionUsage,
  type TextRun,
  textRun,
} from "@gatehouse/providers";
import { textOf } from "@gatehouse/tokens";
import { EventRun, type RepliedCall, type ReplyDialect, type ReplyEvent, type ReplyEvents } from "../reply-dialect.ts";

/** `usage` of a chat reply: exactly the three counts of the specification. */
interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
}

interface ChatMeta {
  readonly request_id: string;
  readonly session_id?: string;
}

interface ChatReplyBody {
  readonly ok: true;
  readonly id: string;
  readonly model: string;
  readonly content: string;
  readonly finish_reason: string;
  readonly usage: ChatUsage;
  readonly meta: ChatMeta;
}

/** Finish reason of a complete reply whose provider names none: the specification requires a string. */
const unnamedFinish = "stop";

/** Replies of the chat routes, `{ ok, id, model, content, … }`. @throws Error for a reply of embeddings, which is a defect. */
export const chatDialect: ReplyDialect = {
  toBody(call, reply, usage) {
    if (reply.kind !== "complete") throw new Error("A chat route has no reply of embeddings.");
    return encodeJson(toChatReplyBody(reply.completion, usage, toChatMeta(call)));
  },
  openEvents: (call) => new ChatChunkSequence(toChatMeta(call)),
};

function toChatMeta({ requestId, request: { sessionId } }: RepliedCall): ChatMeta {
  return sessionId === undefined ? { request_id: requestId } : { request_id: requestId, session_id: sessionId };
}

function toChatReplyBody(completion: Completion, usage: CompletionUsage, meta: ChatMeta): ChatReplyBody {
  return {
    ok: true,
    id: completion.id,
    model: completion.model,
    content: contentOf(completion),
    finish_reason: firstChoice(completion.choices)?.finish_reason ?? unnamedFinish,
    usage: toChatUsage(usage),
    meta,
  };
}

function toChatUsage({ prompt_tokens, completion_tokens, total_tokens }: CompletionUsage): ChatUsage {
  return { prompt_tokens, completion_tokens, total_tokens };
}

/** Text of a completion's first choice; empty where the answer has none, such as one of tool calls. */
export function contentOf({ choices }: Completion): string {
  return answerOf(firstChoice(choices)?.message ?? {});
}

/**
 * Text of a message or delta: its content, and the words in which the model refused, for which chat routes and completions have no
 * other place.
 */
export function answerOf({ content, refusal }: Readonly<Record<string, unknown>>): string {
  return typeof refusal === "string" ? textOf(content) + refusal : textOf(content);
}

/** The choice with the lowest index: servers send choices in any order, and some count them from 1. */
export function firstChoice<Choice extends { readonly index: number }>(choices: readonly Choice[]): Choice | undefined {
  return choices.reduce<Choice | undefined>(
    (first, choice) => (first === undefined || choice.index < first.index ? choice : first),
    undefined,
  );
}

/** Names under which compatible servers return a model's reasoning. */
const reasoningFields = ["reasoning_content", "reasoning"] as const;

/** Text of a message or delta outside of its answer: reasoning and tool calls. */
export function textBesideContent(message: Readonly<Record<string, unknown>>): string {
  let text = "";
  for (const name of reasoningFields) {
    const reasoning = message[name];
    if (typeof reasoning === "string") text += reasoning;
  }
  const calls = message["tool_calls"];
  return Array.isArray(calls) ? text + calls.map(textOfCall).join("") : text;
}

function textOfCall(
  call: { readonly function?: { readonly name?: unknown; readonly arguments?: unknown } } | null,
): string {
  const { name, arguments: input } = call?.function ?? {};
  return `${typeof name === "string" ? name : ""}${typeof input === "string" ? input : ""}`;
}

/** End of the JSON of a chunk with an empty text that is not finished. */
const emptyTextEnd = '""},"finish_reason":null}]}';

/**
 * Orders a provider's chunks as chat routes promise: the role first, then content, then one chunk with `finish_reason`, then one
 * with `usage` and empty `choices`. These routes have only the first choice.
 */
export class ChatChunkSequence implements ReplyEvents {
  readonly #meta: ChatMeta;
  #head: { readonly id: string; readonly model: string; readonly created: number } | undefined;
  /** JSON of a chunk with text, up to that text. */
  #textChunkStart = "";
  /** Index of the choice that is sent: the first of the first chunk with choices. */
  #index: number | undefined;
  #content = "";
  #beside = "";
  #finishReason: string | null = null;
  #usage: CompletionUsage | undefined;

  constructor(meta: ChatMeta) {
    this.#meta = meta;
  }

  /** The model's text so far. */
  get content(): string {
    return this.#content;
  }

  /** Text so far that the caller does not get: reasoning, tool calls, other choices. */
  get beside(): string {
    return this.#beside;
  }

  /** Usage reported by the provider, if any. */
  get usage(): CompletionUsage | undefined {
    return this.#usage;
  }

  /** Events to send for one chunk of the provider, possibly none. */
  push(chunk: CompletionChunk): ReplyEvent[] {
    const events: ReplyEvent[] = [];
    if (this.#head === undefined) {
      this.#head = { id: chunk.id, model: chunk.model, created: chunk.created };
      this.#textChunkStart = JSON.stringify(this.#chunk({ content: "" })).slice(0, -emptyTextEnd.length);
      events.push({ ...this.#chunk({ role: "assistant", content: "" }), meta: this.#meta });
    }
    if (chunk.usage !== undefined && chunk.usage !== null) this.#usage = chunk.usage;
    this.#index ??= firstChoice(chunk.choices)?.index;
    for (const { index, delta, finish_reason: reason } of chunk.choices) {
      const content = answerOf(delta);
      this.#beside += textBesideContent(delta);
      if (index !== this.#index) {
        this.#beside += content;
        continue;
      }
      this.#finishReason = reason ?? this.#finishReason;
      if (content === "") continue;
      this.#content += content;
      events.push(this.#textChunk(content, chunk[textRun]));
    }
    return events;
  }

  /** Last two events of a stream that has ended normally. */
  finish(usage: CompletionUsage): object[] {
    const finish = this.#chunk({}, this.#finishReason ?? unnamedFinish);
    return [finish, { ...finish, choices: [], usage: toChatUsage(usage) }];
  }

  /** Chunks with text differ in it alone, so the JSON around it is encoded once. */
  #textChunk(content: string, run: TextRun | undefined): ReplyEvent {
    const [before, after] = [this.#textChunkStart, emptyTextEnd.slice(2)];
    if (run !== undefined) return new EventRun({ texts: run.texts, before: `${before}"`, after: `"${after}` });
    if (isLarge(content.length)) return this.#chunk({ content });
    return `${before}${JSON.stringify(content)}${after}`;
  }

  #chunk(delta: object, finishReason: string | null = null): object {
    return {
      id: this.#head?.id ?? "",
      object: "chat.completion.chunk",
      created: this.#head?.created ?? 0,
      model: this.#head?.model ?? "",
      choices: [{ index: 0, delta, finish_reason: finishReason }],
    };
  }
}
