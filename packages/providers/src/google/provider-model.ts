import { lowered } from "../ai-sdk/limit-thinking.ts";
import { baseUrlOf, type ProviderModel } from "../ai-sdk/provider-model.ts";
import { asRecord } from "../exchange/json.ts";
import { replyView } from "./reply-view.ts";

const publicBaseUrl = "https://generativelanguage.googleapis.com/v1beta";

/** Google's Gemini API. The credential is an API key; a base URL without a path gets `/v1beta`. */
export const providerModel: ProviderModel = {
  promptForm: { imageAddresses: "typed", system: "first", toolCallId: /^/ },
  replyView,
  async createModel({ address, apiKey, fetch }) {
    const { createGoogle } = await import("@ai-sdk/google");
    return createGoogle({ baseURL: baseUrlOf(address, publicBaseUrl), apiKey, fetch })(address.model);
  },
  async createEmbeddingModel({ address, apiKey, fetch }) {
    const { createGoogle } = await import("@ai-sdk/google");
    return createGoogle({ baseURL: baseUrlOf(address, publicBaseUrl), apiKey, fetch }).embeddingModel(address.model);
  },
  // Gemini counts reasoning within the limit.
  limitAnswer(body, tokensMax) {
    const config = asRecord(body["generationConfig"]);
    return {
      ...body,
      generationConfig: { ...config, maxOutputTokens: lowered(config?.["maxOutputTokens"], tokensMax) },
    };
  },
};
