import type { CheckText } from "@gatehouse/json-schema";
import { createErrorJudge } from "../judge-error.ts";
import { type Pipeline, StepList } from "../pipeline.ts";
import { createBesideGuardrailsStep } from "./beside-guardrails.ts";
import { createBodyStep } from "./body.ts";
import { type BudgetStepOptions, createBudgetStep } from "./budget.ts";
import { createContentStep } from "./content.ts";
import { createEndpointStep, type FindEndpoint } from "./endpoint.ts";
import { createGuardrailsStep, type GuardrailStepOptions } from "./guardrails.ts";
import { createInputSchemaStep } from "./input-schema.ts";
import { createLogStep, type LogStepOptions } from "./log.ts";
import { createOutputGuardrailsStep } from "./output-guardrails.ts";
import { createOutputSchemaStep } from "./output-schema.ts";
import { createParametersStep } from "./parameters.ts";
import { createPromptStep } from "./prompt.ts";
import { createProviderStep, type ProviderStepOptions } from "./provider.ts";
import { type Admit, createRateLimitStep } from "./rate-limit.ts";
import { createRestoreStep } from "./restore.ts";
import { createSessionStep, type SessionStepOptions } from "./session.ts";
import { createTokenCapStep } from "./token-cap.ts";

interface StepParts {
  readonly log: LogStepOptions;
  readonly findEndpoint: FindEndpoint;
  readonly admit: Admit;
  readonly session: SessionStepOptions;
  readonly budget: BudgetStepOptions;
  readonly guardrails: GuardrailStepOptions;
  readonly checkText: CheckText;
  readonly provider: ProviderStepOptions;
}

/**
 * The pipeline of every call, on every surface, in the order of docs/pipeline.md.
 * The router has authenticated the call. Logging comes first, since steps are left in reverse order.
 */
export function createPipeline(parts: StepParts): Pipeline {
  return StepList.empty
    .add(createLogStep(parts.log))
    .add(createBodyStep())
    .add(createEndpointStep(parts.findEndpoint))
    .add(createRateLimitStep(parts.admit))
    .add(createParametersStep())
    .add(createContentStep())
    .add(createSessionStep(parts.session))
    .add(createBudgetStep(parts.budget))
    .add(createTokenCapStep())
    .add(createGuardrailsStep(parts.guardrails))
    .add(createInputSchemaStep(parts.checkText))
    .add(createPromptStep())
    .add(createProviderStep(parts.provider))
    .add(createBesideGuardrailsStep())
    .add(createOutputGuardrailsStep(parts.guardrails))
    .add(createRestoreStep())
    .add(createOutputSchemaStep(parts.checkText))
    .toPipeline(createErrorJudge(parts.guardrails));
}
