import type { Answered } from "../call.ts";
import type { Step } from "../pipeline.ts";

/** Holds the answer back until the guardrails that run in parallel with the model have admitted the call (422, 503). */
export function createBesideGuardrailsStep(): Step<Answered> {
  return { name: "beside_guardrails", enter: (call) => call.besideVerdict };
}
