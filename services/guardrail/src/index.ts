import { type CompiledPolicy, compilePolicyWith } from "./domain/policy/compile-policy.ts";
import { loadModel } from "./model-file.ts";

export { createGuardrailService, type GuardrailOverrides } from "./app.ts";
export { type GuardrailConfig, readGuardrailConfig } from "./config.ts";
export { type CompiledPolicy } from "./domain/policy/compile-policy.ts";
export { inspect } from "./domain/policy/inspect.ts";
export { type PolicyDocument } from "./domain/policy/policy-document.ts";
export { createStreamMask, type StreamMask } from "./domain/pii/stream-mask.ts";
export {
  type Detector,
  type Finding,
  type InspectedText,
  type InspectRequest,
  type Side,
  type Verdict,
} from "./domain/policy/verdict.ts";

/**
 * Checks a policy as it came from outside and makes it ready for `inspect`. Throws `GatewayError("invalid_argument")`
 * naming the field and, in lists, the position.
 */
export function compilePolicy(document: unknown): CompiledPolicy {
  return compilePolicyWith(document, loadModel());
}
