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

/** Address, key and `fetch` of a model of the AI SDK for one attempt. */
export interface ModelOptions {
  readonly address: ProviderAddress;
  readonly apiKey: string;
  readonly fetch: typeof globalThis.fetch;
}

/** A request's body with the longest answer set, in tokens. */
export type LimitAnswer = (body: JsonObject, tokensMax: number) => JsonObject;

/** One provider's part behind the shared translation. Each provider folder exports one as `providerModel`. */
export interface ProviderModel {
  /** Loads the provider's package on the first call. Reads nothing from the environment. */
  createModel(options: ModelOptions): Promise<LanguageModelV4>;
  /** Absent where the provider embeds nothing. */
  readonly createEmbeddingModel?: (options: ModelOptions) => Promise<EmbeddingModelV4>;
  /** Sets the longest answer in a request as it goes out, in the provider's own words; reasoning is part of the answer. */
  readonly limitAnswer: LimitAnswer;
  /** The package's option for the length of vectors, where it has a special one. */
  readonly toEmbeddingOptions?: (dimensions: number, model: string) => SharedV4ProviderOptions;
  /** Adds the parameters of the request that go by the provider's own names. */
  readonly adaptCallOptions?: (
    options: LanguageModelV4CallOptions,
    request: CompletionRequest,
  ) => LanguageModelV4CallOptions;
}

/** The base URL for a provider's package: the public one, or the address's own, with the public one's path where it has none. */
export function baseUrlOf({ baseUrl, provider }: ProviderAddress, publicBaseUrl: string): string {
  if (baseUrl === undefined) return publicBaseUrl;
  const { origin, path } = parseBaseUrl(baseUrl, provider);
  return `${origin}${path === "" ? new URL(publicBaseUrl).pathname : path}`;
}
