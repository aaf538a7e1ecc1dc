import type { JsonObject } from "@gatehouse/json";
import { asRecord } from "../exchange/json.ts";

const thinkingTokensMin = 1_024;
const answerTokensMin = 256;

/** The limit that a package has written, but no more than `tokensMax`; a package may lower it to the model's own, or leave it out. */
export function lowered(written: unknown, tokensMax: number): number {
  return typeof written === "number" ? Math.min(written, tokensMax) : tokensMax;
}

/**
 * Fits Anthropic's `thinking` into a limit of the whole answer: its budget must be smaller than the limit; without room for both,
 * thinking is left out.
 */
export function limitThinking(request: JsonObject, tokensMax: number): JsonObject {
  const { thinking, ...others } = request;
  const { budget_tokens: budget } = asRecord(thinking) ?? {};
  if (typeof budget !== "number" || budget <= tokensMax - answerTokensMin) return request;
  const room = tokensMax - answerTokensMin;
  return room < thinkingTokensMin ? others : { ...others, thinking: { ...asRecord(thinking), budget_tokens: room } };
}
