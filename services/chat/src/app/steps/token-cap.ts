import { countSentTokens, type SentContent, sentTokensMax } from "@gatehouse/content";
import { GatewayError } from "@gatehouse/errors";
import type { Admitted } from "../call.ts";
import { draftContent } from "../draft-content.ts";
import type { Step, Verdict } from "../pipeline.ts";

/** Limits everything to be sent, prompt, tools and schemas included, by the endpoint's per-request cap (422). */
export function createTokenCapStep(): Step<Admitted> {
  return {
    name: "token_cap",
    enter(call) {
      const cap = call.compiled.endpoint.maxRequestTokens;
      return cap === null ? undefined : judge(call, cap);
    },
  };
}

async function judge(call: Admitted, cap: number): Promise<Verdict> {
  const sent = draftContent(call);
  // A request that fits by its size in bytes is not counted.
  return (await sentTokensMax(sent)) <= cap ? undefined : await countAndJudge(call, sent, cap);
}

async function countAndJudge({ tokens: counter, abort }: Admitted, sent: SentContent, cap: number): Promise<Verdict> {
  const tokens = await countSentTokens(sent, counter, { tokensMax: cap, signal: abort.signal });
  if (tokens <= cap) return undefined;
  return new GatewayError(
    "token_cap_exceeded",
    `Request exceeds endpoint per-request token limit: ~${tokens} tokens estimated, cap is ${cap}.`,
  );
}
