/**
 * OpenAI's chat-completions objects, the one form that completions have inside the gateway. Adapters of other providers
 * translate to and from it. Only what the gateway reads is typed; every other field passes through untouched.
 * Source: OpenAI API reference, "Chat Completions".
 */

/**
 * The JSON text that an object was parsed from, where the object still says exactly the same. It is not enumerable: a copy
 * of the object does not have it, so it can never be out of date, and JSON.stringify never shows it.
 */
export const wireText: unique symbol = Symbol("wireText");

/** An object that may keep the JSON text it was parsed from; see {@link wireText}. */
export interface FromWire {
  readonly [wireText]?: string;
}

/** Remembers the text that `object` was parsed from. */
export function rememberWireText<T extends object>(object: T, text: string): T & FromWire {
  return Object.defineProperty(object, wireText, { value: text });
}

/**
 * The chunks that one chunk stands for, where it is several of a provider's that differ in their text alone. Not enumerable, as
 * {@link wireText}: whatever changes the chunk has one with the whole text.
 */
export const textRun: unique symbol = Symbol("textRun");

/** Texts that stand in JSON as they are, one chunk each, and what stands around each in the provider's JSON. */
export interface TextRun {
  readonly texts: readonly string[];
  readonly before: string;
  readonly after: string;
}

/** Remembers the chunks that `chunk` stands for. */
export function rememberTextRun(chunk: CompletionChunk, run: TextRun): CompletionChunk {
  return Object.defineProperty(chunk, textRun, { value: run });
}

/** A message in the form of OpenAI's chat completions; unknown members are kept. */
export interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly [field: string]: unknown;
}

/** A request in the form of OpenAI's chat completions; other members are parameters. */
export interface CompletionRequest {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly [parameter: string]: unknown;
}

/** Token counts as a provider reports them. */
export interface CompletionUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: {
    readonly cached_tokens?: number;
    /** Not OpenAI's, but that of servers which bill what is written to a cache. */
    readonly cache_write_tokens?: number;
  };
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number };
}

/** One answer of a completion; unknown members are kept. */
export interface CompletionChoice {
  readonly index: number;
  readonly message: ChatMessage;
  readonly finish_reason: string;
  readonly [field: string]: unknown;
}

/** An answer in the form of OpenAI's chat completions; unknown members are kept. */
export interface Completion extends FromWire {
  readonly id: string;
  readonly model: string;
  /** Unix seconds. */
  readonly created: number;
  readonly choices: readonly CompletionChoice[];
  /** Absent where the provider reports none. */
  readonly usage?: CompletionUsage;
  readonly [field: string]: unknown;
}

/** Part of a message that a chunk adds. */
export interface CompletionDelta {
  readonly role?: string;
  readonly content?: string | null;
  readonly [field: string]: unknown;
}

/** Part of one answer in a chunk; `finish_reason` is null until the last chunk of the answer. */
export interface CompletionChunkChoice {
  readonly index: number;
  readonly delta: CompletionDelta;
  readonly finish_reason: string | null;
  readonly [field: string]: unknown;
}

/** An event of a streamed completion. `created` is Unix seconds. */
export interface CompletionChunk extends FromWire {
  readonly [textRun]?: TextRun;
  readonly id: string;
  readonly model: string;
  readonly created: number;
  readonly choices: readonly CompletionChunkChoice[];
  readonly usage?: CompletionUsage | null;
  readonly [field: string]: unknown;
}

/** A chunk of one choice with another text. */
export function withText(chunk: CompletionChunk, content: string): CompletionChunk {
  const [choice] = chunk.choices;
  return choice === undefined ? chunk : { ...chunk, choices: [{ ...choice, delta: { ...choice.delta, content } }] };
}

/** Whether a chunk brings the usage of the stream and nothing of the answer (`stream_options.include_usage`). */
export function isUsageOnly({ choices, usage }: CompletionChunk): boolean {
  return choices.length === 0 && usage !== undefined && usage !== null;
}
