import type { JsonObject } from "@gatehouse/json";
import { limitThinking, lowered } from "../ai-sdk/limit-thinking.ts";
import { needsSignedThinking } from "../ai-sdk/needs-signed-thinking.ts";
import { baseUrlOf, type ProviderModel } from "../ai-sdk/provider-model.ts";
import { withoutBlankStops } from "../ai-sdk/without-blank-stops.ts";
import { asRecord } from "../exchange/json.ts";
import { replyView } from "./reply-view.ts";

const publicBaseUrl = "https://api.anthropic.com/v1";

/** Anthropic's Messages API. The credential is an API key; a base URL without a path gets `/v1`. */
export const providerModel: ProviderModel = {
  promptForm: { imageAddresses: "any", system: "anywhere", toolCallId: /^[a-zA-Z0-9_-]{1,64}$/ },
  replyView,
  async createModel({ address, apiKey, fetch }) {
    const { createAnthropic } = await import("@ai-sdk/anthropic");
    return createAnthropic({ baseURL: baseUrlOf(address, publicBaseUrl), apiKey, fetch })(address.model);
  },
  limitAnswer(body, tokensMax) {
    const limit = lowered(body["max_tokens"], tokensMax);
    return { ...limitThinking(body, limit), max_tokens: limit };
  },
  settleReasoning(body, request) {
    const { thinking, ...others } = body;
    if (asRecord(thinking)?.["type"] !== "enabled") return body;
    const choice = asRecord(body["tool_choice"]);
    const forced = choice && toForcedChoice(request["tool_choice"]);
    if (forced === undefined) return needsSignedThinking(body["messages"]) ? others : body;
    return { ...others, tool_choice: { ...choice, ...forced } };
  },
  lastEvent: 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  adaptCallOptions(options, { parallel_tool_calls: parallel }) {
    const accepted = withoutBlankStops(options);
    if (parallel !== false) return accepted;
    return { ...accepted, providerOptions: { anthropic: { disableParallelToolUse: true } } };
  },
};

/** OpenAI's forced tool choice in Anthropic's form: beside a thinking budget, the package replaces it with `auto`. */
function toForcedChoice(choice: unknown): JsonObject | undefined {
  if (choice === "required") return { type: "any" };
  const name = asRecord(asRecord(choice)?.["function"])?.["name"];
  return typeof name === "string" ? { type: "tool", name } : undefined;
}
