import { limitThinking, lowered } from "../ai-sdk/limit-thinking.ts";
import { baseUrlOf, type ProviderModel } from "../ai-sdk/provider-model.ts";

const publicBaseUrl = "https://api.anthropic.com/v1";

/** Anthropic's Messages API. The credential is an API key; a base URL without a path gets `/v1`. */
export const providerModel: ProviderModel = {
  promptForm: { imageAddresses: "any", system: "anywhere" },
  async createModel({ address, apiKey, fetch }) {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic({ baseURL: baseUrlOf(address, publicBaseUrl), apiKey, fetch })(address.model);
  },
  limitAnswer(body, tokensMax) {
    const limit = lowered(body["max_tokens"], tokensMax);
    return { ...limitThinking(body, limit), max_tokens: limit };
  },
  adaptCallOptions: (options, { parallel_tool_calls: parallel }) =>
    parallel === false ? { ...options, providerOptions: { anthropic: { disableParallelToolUse: true } } } : options,
};
