import type { Logger } from "@gatehouse/telemetry";
import type { Secret } from "@gatehouse/vault";
import type { Dispatcher } from "undici";
import type { Completion, CompletionChunk, CompletionRequest } from "./forms/completion.ts";
import type { Embeddings, EmbeddingsRequest } from "./forms/embeddings.ts";

/** Kinds of provider: the API that each speaks, and the mock. */
export const providerKinds = [
  "openai",
  "anthropic",
  "google",
  "azure-openai",
  "bedrock",
  "mistral",
  "openai-compatible",
  "mock",
] as const;
/** One of {@link providerKinds}. */
export type ProviderKind = (typeof providerKinds)[number];

/** Where an attempt goes: a provider with the credential and the model to use. */
export interface ProviderAddress {
  readonly provider: string;
  readonly kind: ProviderKind;
  /** Without a trailing slash; absent means the provider's public address. */
  readonly baseUrl: string | undefined;
  readonly apiKey: Secret | undefined;
  /** Tells credentials apart without their keys; absent where none is used. */
  readonly credentialUuid?: string | undefined;
  readonly model: string;
}

/** Bounds of one attempt at one target, milliseconds, each from the moment its wait begins. */
export interface AttemptBounds {
  readonly connectMs: number;
  /** From the request sent to the reply's head. */
  readonly headersMs: number;
  /** From the request sent to the first chunk that carries output; streams only. */
  readonly firstTokenMs: number;
  /** Longest silence between two reads of the reply. */
  readonly idleMs: number;
  /** The whole attempt. For a stream it ends with the first token; from then on `idleMs` and the call's own deadline hold. */
  readonly totalMs: number;
}

/** Bounds and surroundings of one attempt at one target. */
export interface Attempt {
  readonly bounds: AttemptBounds;
  /** Aborted when the client is gone or the call's deadline has passed. */
  readonly signal: AbortSignal;
  /** To send on to the provider. */
  readonly traceparent: string | undefined;
  /**
   * Tokens of each answer at most, reasoning included, where a budget pays for no more. The request says so already; adapters
   * whose package writes the request hold it to this.
   */
  readonly answerTokensMax?: number | undefined;
}

/** An answer that arrives in pieces. */
export interface CompletionStream {
  /**
   * Chunks that arrived with one read, in order; never empty. Ends normally only after a choice has finished: a stream that
   * breaks off, stalls or carries an error throws a ProviderError. Leaving the iteration early cancels the provider's work.
   */
  readonly batches: AsyncIterable<readonly CompletionChunk[]>;
}

/**
 * One provider's wire. All adapters have the same parts, and fail with a ProviderError only.
 */
export interface ProviderAdapter {
  complete(address: ProviderAddress, request: CompletionRequest, attempt: Attempt): Promise<Completion>;
  /** Resolves when the first chunk with output (or a finish) is there, so that a failure before it can still fail over. */
  stream(address: ProviderAddress, request: CompletionRequest, attempt: Attempt): Promise<CompletionStream>;
  /** Absent where the provider embeds nothing. Vectors may come as numbers even if base64 was asked for. */
  embed?(address: ProviderAddress, request: EmbeddingsRequest, attempt: Attempt): Promise<Embeddings>;
}

/** The kind of failure of an attempt, which decides whether another target is asked. */
export type ProviderFailure =
  /** No connection, or one that broke before the reply began. */
  | "unreachable"
  | "timeout"
  /** The provider answered with an error status; see `status`. */
  | "status"
  /** The reply is not what the provider's interface promises. */
  | "malformed"
  /** A stream ended before it was finished. */
  | "cut"
  /** The caller gave up and waits for no answer. */
  | "aborted";

interface ProviderErrorOptions {
  readonly status?: number;
  /** From the provider's `Retry-After`, seconds. */
  readonly retryAfterSeconds?: number;
  /** The provider's name for its error, such as `insufficient_quota`; never its words. */
  readonly code?: string;
  /** No connection was made: the failure is of the provider's address, whichever model was asked for. */
  readonly isOfConnection?: boolean;
  /** The message without the provider's own words; the message itself where it has none. */
  readonly loggedMessage?: string;
  readonly cause?: unknown;
}

const passingStatuses: ReadonlySet<number> = new Set([408, 429]);
/** A key that was revoked, a model that is not offered (any more): the target's fault, which no caller can fix. */
const targetStatuses: ReadonlySet<number> = new Set([401, 403, 404]);

/** The code of a request that is too long for the model, whatever the provider calls it. */
export const contextLengthExceeded = "context_length_exceeded";
/** The code of a request that a provider's filter has refused, likewise. */
export const contentFiltered = "content_filter";

/** Why an attempt failed. The message is safe for callers: it holds no credential. A provider's words in it may quote the prompt. */
export class ProviderError extends Error {
  readonly failure: ProviderFailure;
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The provider's name for its error, where it has one. */
  readonly code: string | undefined;
  /** No connection was made. */
  readonly isOfConnection: boolean;
  /** Safe for logs: the provider is named and its words are not. */
  readonly loggedMessage: string;
  #isFree = false;

  constructor(failure: ProviderFailure, message: string, options: ProviderErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = "ProviderError";
    this.failure = failure;
    this.status = options.status;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.code = options.code;
    this.isOfConnection = options.isOfConnection ?? failure === "unreachable";
    this.loggedMessage = options.loggedMessage ?? message;
  }

  /**
   * Whether the attempt has certainly cost nothing: it was never sent, or the provider refused it. All else may have been worked
   * on and is billed, so this must be said and is never assumed.
   */
  get isFree(): boolean {
    return this.#isFree;
  }

  /** Says that the attempt has cost nothing. */
  asFree(): this {
    this.#isFree = true;
    return this;
  }

  /** Says that the attempt may have cost something after all, as one of several requests may have. */
  asBilled(): this {
    this.#isFree = false;
    return this;
  }

  /**
   * Whether the next target may be tried: connection errors, timeouts, 401, 403, 404, 408, 429 and 5xx, and a request that is
   * too long for the model. What a provider's filter refuses is not taken elsewhere.
   */
  get mayFailOver(): boolean {
    if (this.failure === "aborted" || this.code === contentFiltered) return false;
    return this.mayHelpToRetry || this.code === contextLengthExceeded || this.isOfTarget;
  }

  /** Whether the same request may fare better with the same target later. */
  get mayHelpToRetry(): boolean {
    if (this.failure === "aborted") return false;
    if (this.failure !== "status" || this.status === undefined) return true;
    return this.status >= 500 || passingStatuses.has(this.status);
  }

  /** Whether it may even be gone the next moment: refusals and lost connections; what was slow or wrong once would be so again. */
  get mayPass(): boolean {
    return this.failure === "unreachable" || (this.failure === "status" && this.mayHelpToRetry);
  }

  /** Whether the target is set up wrongly: its key or its model is refused. */
  get isOfTarget(): boolean {
    return this.failure === "status" && this.status !== undefined && targetStatuses.has(this.status);
  }
}

/** The end of an attempt whose caller wants its reply no longer. */
export function givenUp(): ProviderError {
  return new ProviderError("aborted", "The call was given up.");
}

/** Connection of an adapter to its provider. */
export interface ProviderConnection {
  readonly dispatcher: Dispatcher;
  readonly log: Logger;
  readonly userAgent: string;
  /** Milliseconds since the epoch. */
  readonly wallNow: () => number;
}
