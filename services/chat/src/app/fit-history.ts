import type { ChatMessage, PriceBook } from "@gatehouse/providers";
import { sessionBounds, trimHistory } from "@gatehouse/sessions";
import { toPricedTarget } from "@gatehouse/spending";
import { textOf } from "@gatehouse/tokens";
import type { Admitted } from "./call.ts";

/** Part of a model's context that is reserved for the answer. */
const answerTokens = 4_096;

type Models = Pick<PriceBook, "contextTokens">;

type FitHistory = (call: Admitted, history: readonly ChatMessage[]) => Promise<readonly ChatMessage[]>;

/** Cuts a history so that it fits beside the request, in the smallest context of the endpoint's models. */
export function createFitHistory(loadModels: () => Models | Promise<Models>): FitHistory {
  return async (call, history) => {
    if (history.length === 0) return history;
    const contextTokens = smallestContext(call, await loadModels());
    const { messages } = call.request;
    const requestBytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(textOf(content)), 0);
    const tokensMax =
      contextTokens === undefined ? undefined : Math.max(0, contextTokens - answerTokens - requestBytes);
    const count = async (kept: readonly ChatMessage[]) =>
      await call.tokens.ofMessages(kept, { signal: call.abort.signal });
    return await trimHistory(history, sessionBounds.messagesMax, tokensMax, count);
  };
}

function smallestContext(call: Admitted, models: Models): number | undefined {
  const { targets } = call.compiled;
  const contexts = targets.flatMap((target) => {
    const tokens = target.kind === "ready" ? models.contextTokens(toPricedTarget(target)) : undefined;
    return tokens === undefined ? [] : [tokens];
  });
  return contexts.length === 0 ? undefined : Math.min(...contexts);
}
