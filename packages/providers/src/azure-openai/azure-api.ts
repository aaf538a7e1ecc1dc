import { parseBaseUrl } from "../exchange/base-url.ts";
import type { OpenAiApi } from "../openai/openai-api.ts";
import { ProviderError } from "../provider.ts";

/**
 * Azure OpenAI. The model is the deployment's name, the credential the resource's key (`api-key` header). The base URL is the
 * resource's endpoint, e.g. `https://my-resource.openai.azure.com`: calls go to its `/openai/v1`, unless it has a path. With a
 * query `?api-version=2024-10-21` they go to `/openai/deployments/{model}` in that version.
 */
export const azureApi: OpenAiApi = {
  endpointOf({ baseUrl, apiKey, model, provider }, operation) {
    if (apiKey === undefined) throw new ProviderError("unreachable", `${provider} has no credential`).asFree();
    if (baseUrl === undefined) {
      const problem = `${provider} has no base URL, which must be the resource's endpoint`;
      throw new ProviderError("unreachable", problem).asFree();
    }
    const { origin, path, query } = parseBaseUrl(baseUrl, provider);
    const folder = path === "" ? "/openai" : path;
    const isVersioned = new URLSearchParams(query).has("api-version");
    return { origin, path: `${folder}${isVersioned ? deployment(model) : version(folder)}${operation}${query}` };
  },
  keyHeader: (apiKey) => ({ "api-key": apiKey }),
};

function deployment(model: string): string {
  return `/deployments/${encodeURIComponent(model)}`;
}

function version(folder: string): string {
  return folder.endsWith("/openai") ? "/v1" : "";
}
