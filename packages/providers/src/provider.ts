import type { AbortState } from "@gatehouse/async";
import type { WrittenStrings } from "@gatehouse/json";
import type { Logger } from "@gatehouse/telemetry";
import type { RequestDispatcher } from "@gatehouse/upstream-http";
import type { Secret } from "@gatehouse/vault";
import type { Completion, CompletionChunk, CompletionRequest } from "./forms/completion.ts";
import type { Embeddings, EmbeddingsRequest } from "./forms/embeddings.ts";

/** APIs of providers, and the mock. */
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
/** Kind of a provider: the API that its adapter speaks, or the mock. Decides the price data, too. */
export type ProviderKind = (typeof providerKinds)[number];

/** Destination of an attempt: a provider, a credential and a model. */
export interface ProviderAddress {
  readonly provider: string;
  readonly kind: ProviderKind;
  /** Without a trailing slash; absent for the provider's public address. */
  readonly baseUrl: string | undefined;
  readonly apiKey: Secret | undefined;
  /** Distinguishes credentials without their keys; absent where none is used. */
  readonly credentialUuid?: string | undefined;
  readonly model: string;
}

/** Bounds of one attempt at one target, milliseconds, each from the start of its wait. */
export interface AttemptBounds {
  readonly connectMs: number;
  /** From the request sent to the reply's head. */
  readonly headersMs: number;
  /** From the request sent to the first chunk that carries output; streams only. */
  readonly firstTokenMs: number;
  /** Longest silence between two reads of a whole reply, and between two outputs of a stream. */
  readonly idleMs: number;
  /** The whole attempt; for a stream up to its first token, after which `idleMs` and the call's deadline hold. */
  readonly totalMs: number;
}

/** Bounds, abort signal and trace context of one attempt, passed to the adapter beside the request. */
export interface Attempt {
  readonly bounds: AttemptBounds;
  /** Aborted when the client disconnects or the call's deadline passes. */
  readonly signal: AbortState;
  /** Trace context to send to the provider. */
  readonly traceparent: string | undefined;
  /**
   * Most tokens of each answer, reasoning included, set by a budget. The request contains it already; adapters whose package
   * writes the request enforce it there.
   */
  readonly answerTokensMax?: number | undefined;
  /** Long strings of the request that are written already. */
  readonly written?: WrittenStrings | undefined;
}

/**
 * Takes a batch of a stream. Returns whether more are wanted; the next one comes once that is known. Without more, the provider's
 * work is cancelled.
 */
export type TakeBatch = (batch: readonly CompletionChunk[]) => boolean | Promise<boolean>;

/** Streamed answer of a model, to be read once. */
export interface CompletionStream {
  /**
   * Chunks of one read, in order; never empty. Ends normally only after a choice has finished: a stream that breaks off, stalls
   * or carries an error throws a ProviderError. Leaving the iteration early cancels the provider's work.
   */
  readonly batches: AsyncIterable<readonly CompletionChunk[]>;
  /**
   * Passes the batches on in the turn of the event loop in which they arrive, which costs less than an iteration. Resolves and
   * rejects as that ends. Absent where a stream can only be iterated, as each that changes another's batches; `passStream` reads
   * both.
   */
  readonly passTo?: (take: TakeBatch) => Promise<void>;
}

/** One provider's API. All adapters have the same parts; every failure is a ProviderError. */
export interface ProviderAdapter {
  complete(address: ProviderAddress, request: CompletionRequest, attempt: Attempt): Promise<Completion>;
  /** Resolves at the first chunk with output (or a finish), so that an earlier failure can still fail over. */
  stream(address: ProviderAddress, request: CompletionRequest, attempt: Attempt): Promise<CompletionStream>;
  /** Absent where the provider has no embeddings. Vectors may come as numbers even if base64 was requested. */
  embed?(address: ProviderAddress, request: EmbeddingsRequest, attempt: Attempt): Promise<Embeddings>;
}

/** Kind of an attempt's failure, which decides whether the next target is tried. */
export type ProviderFailure =
  /** No connection, or one that broke before the reply began. */
  | "unreachable"
  | "timeout"
  /** The provider answered with an error status; see `status`. */
  | "status"
  /** The reply violates the provider's API. */
  | "malformed"
  /** A stream ended before it was finished. */
  | "cut"
  /** The provider has no such operation; nothing was sent. */
  | "unsupported"
  /** The caller no longer waits for an answer. */
  | "aborted";

interface ProviderErrorOptions {
  readonly status?: number;
  /** From the provider's `Retry-After`, seconds. */
  readonly retryAfterSeconds?: number;
  /** The provider's name for its error, such as `insufficient_quota`; never its message. */
  readonly code?: string;
  /** No connection was made: the failure concerns the provider's address, for all its models. */
  readonly isOfConnection?: boolean;
  /** The provider's API has no form for the request, so that nothing was sent. */
  readonly isOfRequest?: boolean;
  /** Message without the provider's text; `message` itself where absent. */
  readonly loggedMessage?: string;
  readonly cause?: unknown;
}

const passingStatuses: ReadonlySet<number> = new Set([408, 429]);
/** Statuses of a revoked key or an unavailable model: the target's fault, which no caller can fix. */
const targetStatuses: ReadonlySet<number> = new Set([401, 403, 404]);

/** Code of a request that is too long for the model, the same for all providers. */
export const contextLengthExceeded = "context_length_exceeded";
/** Code of a request that a provider's filter refused, the same for all providers. */
export const contentFiltered = "content_filter";
/** Code of a request that came too fast, the same for all providers. */
export const rateLimited = "rate_limit_exceeded";

/** Failure of an attempt. The message is safe for callers: it holds no credential. The provider's text in it may quote the prompt. */
export class ProviderError extends Error {
  readonly failure: ProviderFailure;
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly code: string | undefined;
  readonly isOfConnection: boolean;
  /** Whether the adapter itself has refused the request: the caller's fault, with status 400. */
  readonly isOfRequest: boolean;
  /** Safe for logs: names the provider without its text. */
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
    this.isOfRequest = options.isOfRequest ?? false;
    this.loggedMessage = options.loggedMessage ?? message;
  }

  /**
   * Whether the attempt has certainly cost nothing: it was never sent, or the provider refused it. Never assumed, since any other
   * attempt may be billed.
   */
  get isFree(): boolean {
    return this.#isFree;
  }

  asFree(): this {
    this.#isFree = true;
    return this;
  }

  /** Marks the attempt as possibly billed, as one of several requests may have been. */
  asBilled(): this {
    this.#isFree = false;
    return this;
  }

  /**
   * Whether the next target may be tried: connection errors, timeouts, 401, 403, 404, 408, 429 and 5xx, and a request too long
   * for the model. A filter's refusal does not fail over.
   */
  get mayFailOver(): boolean {
    if (this.failure === "aborted" || this.code === contentFiltered) return false;
    return this.mayHelpToRetry || this.code === contextLengthExceeded || this.isOfTarget;
  }

  /** Whether the same request may succeed with the same target later. */
  get mayHelpToRetry(): boolean {
    if (this.failure === "aborted" || this.failure === "unsupported") return false;
    if (this.failure !== "status" || this.status === undefined) return true;
    return this.status >= 500 || passingStatuses.has(this.status);
  }

  /** Whether an immediate retry may succeed: refusals and lost connections; a slow or malformed reply would recur. */
  get mayPass(): boolean {
    return this.failure === "unreachable" || (this.failure === "status" && this.mayHelpToRetry);
  }

  /** Whether the target is misconfigured: its key or its model is refused. */
  get isOfTarget(): boolean {
    return this.failure === "status" && this.status !== undefined && targetStatuses.has(this.status);
  }
}

/** The end of an attempt whose caller wants its reply no longer. */
export function givenUp(): ProviderError {
  return new ProviderError("aborted", "The call was given up.");
}

/** Facilities that all adapters share: the dispatcher, the log, and the clock for `Retry-After` dates. */
export interface ProviderConnection {
  readonly dispatcher: RequestDispatcher;
  readonly log: Logger;
  readonly userAgent: string;
  /** Milliseconds since the epoch. */
  readonly wallNow: () => number;
}
