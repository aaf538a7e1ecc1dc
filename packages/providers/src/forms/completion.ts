/**
 * OpenAI's chat-completions objects, the only form of completions inside the gateway. Adapters translate other providers' APIs to
 * and from it. Only fields that the gateway reads are typed; all others pass through unchanged. Source: OpenAI API reference,
 * "Chat Completions".
 */

/**
 * The JSON text that an object was parsed from, as long as the object is unchanged and unjudged: the text may have more than was
 * parsed, the earlier of two equal keys. Not enumerable: copies of the object lack it, so it cannot be out of date, and
 * JSON.stringify never shows it. A step that judges an object passes on a copy.
 */
export const wireText: unique symbol = Symbol("wireText");

/** An object that may keep the JSON text it was parsed from; see {@link wireText}. */
export interface FromWire {
  readonly [wireText]?: string;
}

/** Attaches the JSON text that `object` was parsed from, and returns the same object; see {@link wireText}. */
export function rememberWireText<T extends object>(object: T, text: string): T & FromWire {
  return Object.defineProperty(object, wireText, { value: text });
}

/**
 * The provider's chunks that one chunk combines; they differ in their text alone. Not enumerable, as {@link wireText}: a changed
 * copy of the chunk keeps only the combined text.
 */
export const textRun: unique symbol = Symbol("textRun");

/** Texts of combined chunks, unescaped in JSON, and the provider's JSON before and after each. */
export interface TextRun {
  readonly texts: readonly string[];
  readonly before: string;
  readonly after: string;
}

/** Attaches the provider's chunks that `chunk` combines, and returns the same chunk; see {@link textRun}. */
export function rememberTextRun(chunk: CompletionChunk, run: TextRun): CompletionChunk {
  return Object.defineProperty(chunk, textRun, { value: run });
}

/** Message of a request or an answer. `content` is a text, a list of parts or null, unchecked; other members are passed on. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly [field: string]: unknown;
}

/** A chat completions request; other members are parameters. */
export interface CompletionRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly [parameter: string]: unknown;
}

/** Token counts reported by a provider. Cached tokens are part of `prompt_tokens`, reasoning tokens of `completion_tokens`. */
export interface CompletionUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: {
    readonly cached_tokens?: number;
    /** Not in OpenAI's API; sent by servers that bill cache writes. */
    readonly cache_write_tokens?: number;
  };
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number };
}

/** One of a completion's answers: several where the request's `n` is over 1. Other members, such as `logprobs`, are passed on. */
export interface CompletionChoice {
  readonly index: number;
  readonly message: ChatMessage;
  /** Null where the provider names none. */
  readonly finish_reason: string | null;
  readonly [field: string]: unknown;
}

/** Whole answer of a model, as returned by every adapter; other members, such as `system_fingerprint`, are passed on. */
export interface Completion extends FromWire {
  /** Not empty, as `model`: adapters generate what a provider leaves out. */
  readonly id: string;
  readonly model: string;
  /** Unix seconds. */
  readonly created: number;
  readonly choices: readonly CompletionChoice[];
  /** Absent where the provider reports none. */
  readonly usage?: CompletionUsage;
  readonly [field: string]: unknown;
}

/** Part of a message that one chunk adds; other members, such as `tool_calls`, are passed on. */
export interface CompletionDelta {
  readonly role?: string;
  readonly content?: string | null;
  readonly [field: string]: unknown;
}

/** Part of one answer; `finish_reason` is null until the answer's last chunk. */
export interface CompletionChunkChoice {
  readonly index: number;
  readonly delta: CompletionDelta;
  readonly finish_reason: string | null;
  readonly [field: string]: unknown;
}

/** An event of a streamed completion. `created` is Unix seconds; `id` and `model` are not empty. */
export interface CompletionChunk extends FromWire {
  readonly [textRun]?: TextRun;
  readonly id: string;
  readonly model: string;
  readonly created: number;
  readonly choices: readonly CompletionChunkChoice[];
  readonly usage?: CompletionUsage | null;
  readonly [field: string]: unknown;
}

/** Copy of a chunk with `content` as the text of its first choice, the only one kept; without a choice, the chunk itself. */
export function withText(chunk: CompletionChunk, content: string): CompletionChunk {
  const [choice] = chunk.choices;
  return choice === undefined ? chunk : { ...chunk, choices: [{ ...choice, delta: { ...choice.delta, content } }] };
}

/** Whether a field of a delta has no output: servers send fields that they do not use as null, `""` or `[]`. */
export function isEmptyField(value: unknown): boolean {
  return value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
}

/** Whether a chunk has only the usage of the stream (`stream_options.include_usage`). */
export function isUsageOnly({ choices, usage }: CompletionChunk): boolean {
  return choices.length === 0 && usage !== undefined && usage !== null;
}
