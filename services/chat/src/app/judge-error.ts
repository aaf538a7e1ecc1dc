import { LightAbort } from "@gatehouse/async";
import { GatewayError, isGatewayError } from "@gatehouse/errors";
import { recordAnswer } from "@gatehouse/guardrail-client";
import { ProviderError } from "@gatehouse/providers";
import { type Admitted, mayChangeAnswer, type Received } from "./call.ts";
import type { JudgeError } from "./pipeline.ts";
import { ask, eventOf, type GuardrailStepOptions } from "./steps/guardrails.ts";

/**
 * Judges a provider's words in an error by the endpoint's policy, where it covers answers and may change them: they may quote the
 * prompt. The error keeps its code and details; without the words where they are blocked or cannot be judged.
 */
export function createErrorJudge(options: GuardrailStepOptions): JudgeError {
  return async (call, error) => {
    if (!quotesProvider(error) || !isAdmitted(call) || !mayChangeAnswer(call)) return error;
    return withMessage(error, (await judge(call, error.message, options)) ?? error.loggedMessage);
  };
}

function quotesProvider({ cause, message, loggedMessage }: GatewayError): boolean {
  return cause instanceof ProviderError && message !== loggedMessage;
}

function isAdmitted(call: Received): call is Admitted {
  return call.request !== undefined && call.compiled !== undefined;
}

/** The message with its masks; undefined where it must not be shown. */
async function judge(
  call: Admitted,
  text: string,
  { client, record }: GuardrailStepOptions,
): Promise<string | undefined> {
  try {
    // Not aborted with the call, which has ended.
    const abort = new LightAbort();
    const answer = await ask(call, { client, side: "output", texts: () => [{ role: "assistant", text }], abort });
    const judged = await recordAnswer(answer, eventOf(call, "output"), record, "endpoint");
    return isGatewayError(judged) ? undefined : (judged?.maskedTexts?.[0] ?? text);
  } catch (err) {
    if (!isGatewayError(err)) throw err;
    record.unavailable(eventOf(call, "output"), false, err);
    return undefined;
  }
}

function withMessage(error: GatewayError, message: string): GatewayError {
  const { code, details, cause, loggedMessage, retryAfterSeconds } = error;
  const retry = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  return new GatewayError(code, message, { details, cause, loggedMessage, ...retry });
}
