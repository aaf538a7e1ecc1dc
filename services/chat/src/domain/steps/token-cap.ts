import { GatewayError } from "@gatehouse/errors";
import { type Call, required } from "../call.ts";
import { textOf } from "../chat-reply.ts";
import type { ChatMessage } from "../completion.ts";
import { draftPrompt } from "../draft-prompt.ts";
import type { Step, Verdict } from "../pipeline.ts";

/** Tokens that frame a message and a prompt at most, beyond those of its text. */
const frameTokensMax = 16;

/** The whole prompt that would be sent is within the endpoint's per-request cap (422). */
export function createTokenCapStep(): Step {
  return {
    name: "token_cap",
    enter(call) {
      const cap = required(call.compiled, "the endpoint").endpoint.maxRequestTokens;
      if (cap === null) return undefined;
      const prompt = draftPrompt(call);
      return tokensAtMost(prompt) <= cap ? undefined : countAndJudge(call, prompt, cap);
    },
  };
}

/** No tokenizer makes more tokens than bytes: what fits by bytes need not be counted. */
function tokensAtMost(prompt: readonly ChatMessage[]): number {
  return prompt.reduce((sum, { content }) => sum + Buffer.byteLength(textOf(content)) + frameTokensMax, frameTokensMax);
}

async function countAndJudge(
  { tokens: counter, abort }: Call,
  prompt: readonly ChatMessage[],
  cap: number,
): Promise<Verdict> {
  const tokens = await counter.ofPrompt(prompt, { tokensMax: cap, signal: abort.signal });
  if (tokens <= cap) return undefined;
  return new GatewayError(
    "token_cap_exceeded",
    `Request exceeds endpoint per-request token limit: ~${tokens} tokens estimated, cap is ${cap}.`,
  );
}
