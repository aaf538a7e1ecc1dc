import type { Answered } from "../call.ts";
import type { Step } from "../pipeline.ts";

/** Nothing of an answer is shown before the guardrails that were asked beside the model have let the call pass (422, 503). */
export function createBesideGuardrailsStep(): Step<Answered> {
  return { name: "beside_guardrails", enter: (call) => call.besideVerdict };
}
