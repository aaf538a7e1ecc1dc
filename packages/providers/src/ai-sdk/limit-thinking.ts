import type { JsonObject } from "@gatehouse/json";
import { asRecord } from "../exchange/json.ts";

/** The least that Anthropic's models take for thinking, and what is left for the answer itself at least, tokens. */
const thinkingTokensMin = 1_024;
const answerTokensMin = 256;

/**
 * Anthropic's `thinking` beside a limit of the whole answer: its own budget must be smaller than the limit, and where there is no
 * room for both there is no thinking.
 */
export function limitThinking(request: JsonObject, tokensMax: number): JsonObject {
  const { thinking, ...others } = request;
  const { budget_tokens: budget } = asRecord(thinking) ?? {};
  if (typeof budget !== "number" || budget <= tokensMax - answerTokensMin) return request;
  const room = tokensMax - answerTokensMin;
  return room < thinkingTokensMin ? others : { ...others, thinking: { ...asRecord(thinking), budget_tokens: room } };
}
