import { parseBaseUrl } from "../exchange/base-url.ts";
import type { ProviderAddress } from "../provider.ts";

const publicBaseUrl = "https://api.openai.com/v1";

/** Address of an operation of the API. */
export interface OpenAiEndpoint {
  readonly origin: string;
  /** With its query. */
  readonly path: string;
}

/** Addresses and credentials of an API that is OpenAI's in everything else. */
export interface OpenAiApi {
  /**
   * @param operation path of the operation, such as `/chat/completions`
   * @throws ProviderError `unreachable` where the address is incomplete; the message does not repeat it
   */
  readonly endpointOf: (address: ProviderAddress, operation: string) => OpenAiEndpoint;
  /** Header that carries the credential. */
  readonly keyHeader: (apiKey: string) => Readonly<Record<string, string>>;
}

/**
 * OpenAI and providers with a compatible API. As OpenAI's client does, the operation is appended to the base URL's path (Ollama:
 * `http://127.0.0.1:11434/v1`), and its query is kept. A key is sent as a bearer token.
 */
export const openAiApi: OpenAiApi = {
  endpointOf({ baseUrl = publicBaseUrl, provider }, operation) {
    const { origin, path, query } = parseBaseUrl(baseUrl, provider);
    return { origin, path: `${path}${operation}${query}` };
  },
  keyHeader: (apiKey) => ({ authorization: `Bearer ${apiKey}` }),
};
