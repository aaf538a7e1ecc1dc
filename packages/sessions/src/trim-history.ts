import type { ChatMessage } from "@gatehouse/providers";

type CountMessages = (messages: readonly ChatMessage[]) => Promise<readonly number[]>;

/** Bytes of a message's text, an upper bound of its tokens. */
function byteLength({ content }: ChatMessage): number {
  return typeof content === "string" ? Buffer.byteLength(content) : 0;
}

/**
 * Keeps the newest messages of a history that fit, never beginning with an answer whose question was cut off. Tokens are counted
 * only when the text might not fit.
 */
export async function trimHistory(
  history: readonly ChatMessage[],
  messagesMax: number,
  /** Most tokens of the history; undefined where the model's context is unknown. */
  tokensMax: number | undefined,
  countTokens: CountMessages,
): Promise<readonly ChatMessage[]> {
  const newest = history.slice(-messagesMax);
  const kept = tokensMax === undefined ? newest : await newestWithin(newest, tokensMax, countTokens);
  const firstQuestion = kept.findIndex(({ role }) => role !== "assistant");
  return firstQuestion < 0 ? [] : kept.slice(firstQuestion);
}

async function newestWithin(
  history: readonly ChatMessage[],
  tokensMax: number,
  countTokens: CountMessages,
): Promise<readonly ChatMessage[]> {
  const bytes = history.reduce((sum, message) => sum + byteLength(message), 0);
  if (bytes <= tokensMax) return history;
  let left = tokensMax;
  let first = history.length;
  for (const tokens of (await countTokens(history)).toReversed()) {
    left -= tokens;
    if (left < 0) break;
    first -= 1;
  }
  return history.slice(first);
}
