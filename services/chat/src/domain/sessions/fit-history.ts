import type { ChatMessage } from "../completion.ts";
import { type Call, required } from "../call.ts";
import { countTokens } from "../token-count.ts";
import { sessionBounds } from "./session.ts";
import { trimHistory } from "./trim-history.ts";

/** Part of a model's context that is left to the answer, where the endpoint does not say how long it may be. */
const answerTokensDefault = 4_096;

/** The part of a history that fits beside the request, in the smallest context among the endpoint's models. */
export async function fitHistory(call: Call, history: readonly ChatMessage[]): Promise<readonly ChatMessage[]> {
  const { contextTokens } = required(call.compiled, "the endpoint");
  const { messages } = required(call.request, "the request");
  const { messagesMax } = sessionBounds;
  if (contextTokens === undefined)
    return await trimHistory(history, { messagesMax, tokensMax: undefined }, countTokens);
  const taken = messages.reduce((sum, { content }) => sum + Buffer.byteLength(String(content)), 0);
  const tokensMax = Math.max(0, contextTokens - answerTokensDefault - taken);
  return await trimHistory(history, { messagesMax, tokensMax }, countTokens);
}
