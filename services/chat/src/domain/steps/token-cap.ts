import { GatewayError } from "@gatehouse/errors";
import { required } from "../call.ts";
import { textOf } from "../chat-reply.ts";
import type { ChatMessage } from "../completion.ts";
import { draftPrompt } from "../draft-prompt.ts";
import type { Step, Verdict } from "../pipeline.ts";

export interface TokenCapStepOptions {
  readonly countMessageTokens: (messages: readonly ChatMessage[]) => Promise<number>;
}

/** Tokens that frame a message and a prompt at most, beyond those of its text. */
const frameTokensMax = 16;

/** The whole prompt that would be sent is within the endpoint's per-request cap (422). */
export function createTokenCapStep({ countMessageTokens }: TokenCapStepOptions): Step {
  return {
    name: "token_cap",
    enter(call) {
      const cap = required(call.compiled, "the endpoint").endpoint.maxRequestTokens;
      if (cap === null) return undefined;
      const prompt = draftPrompt(call);
      return tokensAtMost(prompt) <= cap ? undefined : countAndJudge(prompt, cap, countMessageTokens);
    },
  };
}

/** No tokenizer makes more tokens than bytes: what fits by bytes need not be counted. */
function tokensAtMost(prompt: readonly ChatMessage[]): number {
  return prompt.reduce((sum, { content }) => sum + Buffer.byteLength(textOf(content)) + frameTokensMax, frameTokensMax);
}

async function countAndJudge(
  prompt: readonly ChatMessage[],
  cap: number,
  count: TokenCapStepOptions["countMessageTokens"],
): Promise<Verdict> {
  const tokens = await count(prompt);
  if (tokens <= cap) return undefined;
  return new GatewayError(
    "token_cap_exceeded",
    `Request exceeds endpoint per-request token limit: ~${tokens} tokens estimated, cap is ${cap}.`,
  );
}
