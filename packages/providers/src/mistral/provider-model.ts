import { lowered } from "../ai-sdk/limit-thinking.ts";
import { baseUrlOf, type ProviderModel } from "../ai-sdk/provider-model.ts";
import { asRecord } from "../exchange/json.ts";
import { replyView } from "./reply-view.ts";

const publicBaseUrl = "https://api.mistral.ai/v1";

/** Mistral's chat completions. The credential is an API key; a base URL without a path gets `/v1`. */
export const providerModel: ProviderModel = {
  promptForm: { imageAddresses: "any", system: "anywhere", toolCallId: /^[a-zA-Z0-9]{9}$/ },
  replyView,
  async createModel({ address, apiKey, fetch }) {
    const { createMistral } = await import("@ai-sdk/mistral");
    return createMistral({ baseURL: baseUrlOf(address, publicBaseUrl), apiKey, fetch })(address.model);
  },
  async createEmbeddingModel({ address, apiKey, fetch }) {
    const { createMistral } = await import("@ai-sdk/mistral");
    return createMistral({ baseURL: baseUrlOf(address, publicBaseUrl), apiKey, fetch }).embeddingModel(address.model);
  },
  limitAnswer: (body, tokensMax) => ({ ...body, max_tokens: lowered(body["max_tokens"], tokensMax) }),
  adaptCallOptions(options, { parallel_tool_calls: parallel, response_format: format }) {
    const isStrict = asRecord(asRecord(format)?.["json_schema"])?.["strict"] === true;
    const mistral = {
      ...(parallel === false ? { parallelToolCalls: false } : {}),
      ...(isStrict ? { strictJsonSchema: true } : {}),
    };
    return { ...options, providerOptions: { mistral } };
  },
};
