import { countSentTokens, type SentContent, sentTokensMax } from "@gatehouse/content";
import { cappedTokens, type ChatMessage, type PriceBook } from "@gatehouse/providers";
import { sessionBounds, trimHistory } from "@gatehouse/sessions";
import { toPricedTarget } from "@gatehouse/spending";
import { textOf } from "@gatehouse/tokens";
import type { Admitted } from "./call.ts";
import { draftContent } from "./draft-content.ts";

/** Part of a model's context that is reserved for the answer, where its limit is not higher, tokens. */
const answerTokensMin = 4_096;
/** Largest prompt and request that are tokenized, bytes; the bytes of larger ones count as their tokens. */
const countedBytesMax = 256 * 1024;

type Models = Pick<PriceBook, "contextTokens">;

type FitHistory = (call: Admitted, history: readonly ChatMessage[]) => Promise<readonly ChatMessage[]>;

/**
 * Cuts a history so that it fits beside the endpoint's prompt, the request and the answer, in the smallest context of the
 * endpoint's models: a longer one would be refused on each further call of the session.
 */
export function createFitHistory(loadModels: () => Models | Promise<Models>): FitHistory {
  return async (call, history) => {
    if (history.length === 0) return history;
    const contextTokens = smallestContext(call, await loadModels());
    const tokensMax = contextTokens === undefined ? undefined : await roomFor(call, history, contextTokens);
    const count = async (kept: readonly ChatMessage[]) =>
      await call.tokens.ofMessages(kept, { signal: call.abort.signal });
    return await trimHistory(history, sessionBounds.messagesMax, tokensMax, count);
  };
}

/** Tokens that everything else leaves for the history; as the bytes of everything else, where the history fits so. */
async function roomFor(call: Admitted, history: readonly ChatMessage[], contextTokens: number): Promise<number> {
  const besides = draftContent(call);
  const left = contextTokens - answerTokensOf(call, besides);
  const bytes = await sentTokensMax(besides);
  const fits = bytesOf(history) <= left - bytes;
  const tokens =
    fits || bytes > countedBytesMax
      ? bytes
      : await countSentTokens(besides, call.tokens, { signal: call.abort.signal });
  return Math.max(0, left - tokens);
}

/** Tokens of the longest answer: providers refuse a limit that does not fit beside the prompt. */
function answerTokensOf({ compiled }: Admitted, { parameters }: SentContent): number {
  const cap = compiled.endpoint.maxResponseTokens ?? Number.POSITIVE_INFINITY;
  const limit = cappedTokens(parameters, cap);
  return Number.isFinite(limit) ? Math.max(answerTokensMin, limit) : answerTokensMin;
}

function bytesOf(history: readonly ChatMessage[]): number {
  return history.reduce((sum, { content }) => sum + Buffer.byteLength(textOf(content)), 0);
}

function smallestContext(call: Admitted, models: Models): number | undefined {
  const { targets } = call.compiled;
  const contexts = targets.flatMap((target) => {
    const tokens = target.kind === "ready" ? models.contextTokens(toPricedTarget(target)) : undefined;
    return tokens === undefined ? [] : [tokens];
  });
  return contexts.length === 0 ? undefined : Math.min(...contexts);
}
