import type {
  EmbeddingModelV4,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import type { JsonObject } from "@gatehouse/json";
import { parseBaseUrl } from "../exchange/base-url.ts";
import type { CompletionRequest } from "../forms/completion.ts";
import type { ProviderAddress } from "../provider.ts";
import type { ReplyView } from "./reply-view.ts";
import type { PromptForm } from "./to-prompt.ts";

/** Address, key and `fetch` of a model of the AI SDK for one attempt. */
export interface ModelOptions {
  readonly address: ProviderAddress;
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
}

/**
 * A request's body with the longest answer set, in tokens: packages add room for reasoning to the limit that they are given, or
 * drop it.
 */
export type LimitAnswer = (body: JsonObject, tokensMax: number) => JsonObject;

/** A request whose body is final. */
export interface FinalRequest {
  readonly method: string;
  readonly url: URL;
  readonly body: string | Uint8Array;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** The provider-specific part behind the shared translation. Each provider folder exports one as `providerModel`. */
export interface ProviderModel {
  /** Loads the provider's package on the first call. Reads nothing from the environment. */
  createModel(options: ModelOptions): Promise<LanguageModelV4>;
  /** Absent where the provider has no embeddings. */
  readonly createEmbeddingModel?: (options: ModelOptions) => Promise<EmbeddingModelV4>;
  readonly promptForm: PromptForm;
  readonly replyView: ReplyView;
  /** Sets the longest answer in an outgoing request, under the provider's parameter; reasoning counts as part of the answer. */
  readonly limitAnswer: LimitAnswer;
  /** Takes out of a request's body the reasoning with which the provider would refuse its messages or its tool choice. */
  readonly settleReasoning?: (body: JsonObject, request: CompletionRequest) => JsonObject;
  /**
   * The stream's end event, where the package reports the finish only at that event: it completes streams that end without it,
   * which are whole if they have a finish reason.
   */
  readonly lastEvent?: string;
  /** Headers that authenticate a request by its content, where the credential is not sent. */
  readonly sign?: (address: ProviderAddress, request: FinalRequest) => Readonly<Record<string, string>>;
  /** The package's option for the length of vectors, where it has one. */
  readonly toEmbeddingOptions?: (dimensions: number, model: string) => SharedV4ProviderOptions;
  /** Adds parameters of the request that have provider-specific names, and takes out what the provider's `model` refuses. */
  readonly adaptCallOptions?: (
    options: LanguageModelV4CallOptions,
    request: CompletionRequest,
    model: string,
  ) => LanguageModelV4CallOptions;
}

/** Base URL for a provider's package: the address's URL, completed by the public one's path where it has none, or the public URL. */
export function baseUrlOf({ baseUrl, provider }: ProviderAddress, publicBaseUrl: string): string {
  if (baseUrl === undefined) return publicBaseUrl;
  const { origin, path } = parseBaseUrl(baseUrl, provider);
  return `${origin}${path === "" ? new URL(publicBaseUrl).pathname : path}`;
}
