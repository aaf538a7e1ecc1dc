export { createGuardrailService, type GuardrailOverrides } from "./app.ts";
export { type GuardrailConfig } from "./config.ts";
export { type CompiledPolicy } from "./domain/policy/compile-policy.ts";
export { inspect } from "./domain/policy/inspect.ts";
export { type PolicyDocument } from "./domain/policy/policy-document.ts";
export {
  type Detector,
  type Finding,
  type InspectedText,
  type InspectRequest,
  type Side,
  type Verdict,
} from "./domain/policy/verdict.ts";
export { guardrailProgram } from "./program.ts";
