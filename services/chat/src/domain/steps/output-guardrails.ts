import { GatewayError, isGatewayError } from "@gatehouse/errors";
import type { GuardrailAnswer, InspectedText } from "@gatehouse/guardrail-client";
import { type Call, type CompleteReply, required } from "../call.ts";
import { replaceCompletionTexts, textsOfCompletion } from "../guardrails/message-texts.ts";
import type { Step, Verdict } from "../pipeline.ts";
import { ask, eventOf, type GuardrailStepOptions, settle } from "./guardrails.ts";

/**
 * What the model has answered passes the policy of the endpoint (422), where the policy asks for it. A policy that may block
 * or mask sees the whole answer first; one that only records looks when the answer has been given.
 */
export function createOutputGuardrailsStep(options: GuardrailStepOptions): Step {
  const { client, record } = options;
  return {
    name: "output_guardrails",
    enter(call) {
      const reply = required(call.reply, "the reply");
      if (call.outputCheck !== "before_reply" || reply.kind === "embeddings") return undefined;
      if (reply.kind === "stream") throw new Error("An answer that guardrails may block must not be streamed.");
      const answer = ask(call, { client, side: "output", texts: () => textsOfCompletion(reply.completion) });
      return answer instanceof Promise
        ? answer.then((late) => admit(call, { reply, answer: late }, options))
        : admit(call, { reply, answer }, options);
    },
    async leave(call) {
      const { outputCheck, reply } = call;
      if (outputCheck !== "after_reply" || reply === undefined || reply.kind === "embeddings") return;
      try {
        // What was said to a caller who then left is looked at all the same.
        const { signal } = new AbortController();
        const answer = await ask(call, { client, side: "output", texts: () => textsGiven(call), signal });
        await settle(answer, eventOf(call, "output"), record);
      } catch (err) {
        // The answer has been given: a failure to watch it is not the call's.
        if (!isGatewayError(err)) throw err;
        record.unavailable(eventOf(call, "output"), true, err);
      }
    },
  };
}

interface Answered {
  readonly reply: CompleteReply;
  readonly answer: GuardrailAnswer;
}

function admit(
  call: Call,
  { reply, answer }: Answered,
  { record }: GuardrailStepOptions,
): Verdict | Promise<GatewayError> {
  const judged = settle(answer, eventOf(call, "output"), record);
  if (judged instanceof GatewayError || judged instanceof Promise || judged === undefined) return judged;
  const { maskedTexts } = judged;
  if (maskedTexts !== undefined) {
    call.reply = { kind: "complete", completion: replaceCompletionTexts(reply.completion, maskedTexts) };
  }
  return undefined;
}

function textsGiven({ reply, answer }: Call): readonly InspectedText[] {
  if (reply?.kind === "complete") return textsOfCompletion(reply.completion);
  return [{ role: "assistant", text: answer ?? "" }];
}
