import type { ProviderModel } from "../ai-sdk/provider-model.ts";
import { parseBaseUrl } from "../exchange/base-url.ts";
import { type ProviderAddress, ProviderError } from "../provider.ts";

/**
 * Azure OpenAI. The model is the deployment's name, the credential the resource's key (`api-key` header). The base URL is the
 * resource's endpoint, e.g. `https://my-resource.openai.azure.com`: calls go to its `/openai/v1`, unless it has a path. With a
 * query `?api-version=2024-10-21` they go to `/openai/deployments/{model}` in that version.
 */
export const providerModel: ProviderModel = {
  async createModel({ address, apiKey, fetch }) {
    const { createAzure } = await import("@ai-sdk/azure");
    return createAzure({ ...endpointOf(address), apiKey, fetch }).chat(address.model);
  },
  async createEmbeddingModel({ address, apiKey, fetch }) {
    const { createAzure } = await import("@ai-sdk/azure");
    return createAzure({ ...endpointOf(address), apiKey, fetch }).embeddingModel(address.model);
  },
  toEmbeddingOptions: (dimensions) => ({ openai: { dimensions } }),
  limitAnswer(body, tokensMax) {
    const { max_tokens: _, ...others } = body;
    return { ...others, max_completion_tokens: tokensMax };
  },
  adaptCallOptions(options, { parallel_tool_calls: parallel, max_completion_tokens: tokensMax }) {
    const openai = {
      ...(parallel === false ? { parallelToolCalls: false } : {}),
      ...(typeof tokensMax === "number" ? { maxCompletionTokens: tokensMax } : {}),
    };
    // A deployment's name does not identify its model, and reasoning models accept the limit under this name only.
    const { maxOutputTokens: _, ...others } = options;
    return { ...(typeof tokensMax === "number" ? others : options), providerOptions: { openai } };
  },
};

interface AzureEndpoint {
  readonly baseURL: string;
  readonly useDeploymentBasedUrls?: boolean;
  readonly apiVersion?: string;
}

function endpointOf({ baseUrl, provider }: ProviderAddress): AzureEndpoint {
  if (baseUrl === undefined) {
    throw new ProviderError(
      "unreachable",
      `${provider} has no base URL, which must be the resource's endpoint`,
    ).asFree();
  }
  const { origin, path, query } = parseBaseUrl(baseUrl, provider);
  const apiVersion = new URLSearchParams(query).get("api-version");
  const folder = path === "" ? "/openai" : path;
  if (apiVersion !== null) return { baseURL: `${origin}${folder}`, useDeploymentBasedUrls: true, apiVersion };
  return { baseURL: `${origin}${folder.endsWith("/openai") ? `${folder}/v1` : folder}` };
}
