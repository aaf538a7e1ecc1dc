import { GatewayError } from "@gatehouse/errors";
import { isSlug, reservedSlugs, slugRule } from "@gatehouse/slugs";
import type { EndpointDefinition, Target } from "./endpoint.ts";
import { compilePromptTemplate } from "./prompt-template.ts";
import { compileSchema } from "./schema/compile-schema.ts";

export const endpointBounds = {
  targetsMax: 16,
  modelLengthMax: 200,
  descriptionLengthMax: 4_000,
  systemPromptLengthMax: 200_000,
  parametersJsonLengthMax: 20_000,
  timeoutMsMin: 1,
  timeoutMsMax: 600_000,
  retriesMax: 5,
  requestTokensMax: 10_000_000,
  budgetMicrosMax: 1_000_000_000_000_000,
  allowedParametersMax: 64,
  parameterNameLengthMax: 64,
} as const;

/** Parameters that the gateway sets itself; an administrator's value would change what a reply means. */
const managedParameters: readonly string[] = ["model", "messages", "stream", "stream_options", "n"];

/** @throws GatewayError `invalid_argument` naming the first field that is wrong and how to mend it. */
export function checkEndpointDefinition(definition: EndpointDefinition): void {
  checkSlug(definition.slug);
  checkTargets(definition.targets);
  checkText("description", definition.description, endpointBounds.descriptionLengthMax);
  checkText("system_prompt", definition.systemPrompt, endpointBounds.systemPromptLengthMax);
  if (definition.systemPrompt !== null) compilePromptTemplate(definition.systemPrompt, "system_prompt");
  if (definition.inputSchema !== null) compileSchema(definition.inputSchema, "input_schema");
  if (definition.outputSchema !== null) compileSchema(definition.outputSchema, "output_schema");
  checkParameters(definition);
  checkAllowedParameters(definition);
  checkInteger("max_request_tokens", definition.maxRequestTokens, [1, endpointBounds.requestTokensMax]);
  const timeouts = [endpointBounds.timeoutMsMin, endpointBounds.timeoutMsMax] as const;
  checkInteger("timeout_ms", definition.timeoutMs, timeouts);
  checkInteger("first_token_timeout_ms", definition.firstTokenTimeoutMs, timeouts);
  checkInteger("idle_timeout_ms", definition.idleTimeoutMs, timeouts);
  const { monthlyBudgetMicros } = definition;
  if (
    monthlyBudgetMicros !== null &&
    !(monthlyBudgetMicros >= 0 && monthlyBudgetMicros <= endpointBounds.budgetMicrosMax)
  ) {
    refuse("monthly_budget_usd must be between 0 and 1000000000");
  }
}

function checkSlug(slug: string): void {
  if (!isSlug(slug)) refuse(`slug must be ${slugRule}`);
  if (reservedSlugs.has(slug)) refuse(`slug '${slug}' is reserved; choose another`);
}

function checkTargets(targets: readonly Target[]): void {
  const { targetsMax, modelLengthMax } = endpointBounds;
  if (targets.length < 1 || targets.length > targetsMax) refuse(`targets must have 1 to ${targetsMax} entries`);
  targets.forEach(({ provider, model, inputPricePerMillion, outputPricePerMillion, retries }, index) => {
    const at = `targets[${index}]`;
    if (provider === "") refuse(`${at}.provider must be the name of a provider`);
    if (model === "" || model.length > modelLengthMax)
      refuse(`${at}.model must have 1 to ${modelLengthMax} characters`);
    checkPrice(`${at}.input_price_per_million`, inputPricePerMillion);
    checkPrice(`${at}.output_price_per_million`, outputPricePerMillion);
    checkInteger(`${at}.retries`, retries ?? null, [0, endpointBounds.retriesMax]);
  });
}

function checkPrice(name: string, price: number | undefined): void {
  if (price !== undefined && !(Number.isFinite(price) && price >= 0)) refuse(`${name} must be a number from 0`);
}

function checkText(name: string, text: string | null, lengthMax: number): void {
  if (text === null) return;
  if (text.length > lengthMax) refuse(`${name} must have at most ${lengthMax} characters`);
  if (text.includes("\0")) refuse(`${name} must not contain NUL characters`);
}

function checkParameters({ parameters }: EndpointDefinition): void {
  if (parameters === null) return;
  const managed = managedParameters.find((name) => name in parameters);
  if (managed !== undefined) refuse(`parameters must not contain '${managed}': the gateway sets it`);
  const { parametersJsonLengthMax } = endpointBounds;
  if (JSON.stringify(parameters).length > parametersJsonLengthMax) {
    refuse(`parameters must have at most ${parametersJsonLengthMax} characters as JSON`);
  }
}

function checkAllowedParameters({ allowedParameters }: EndpointDefinition): void {
  const { allowedParametersMax, parameterNameLengthMax } = endpointBounds;
  if (allowedParameters.length > allowedParametersMax) {
    refuse(`allowed_parameters must have at most ${allowedParametersMax} entries`);
  }
  for (const [index, name] of allowedParameters.entries()) {
    if (name === "" || name.length > parameterNameLengthMax) {
      refuse(`allowed_parameters[${index}] must have 1 to ${parameterNameLengthMax} characters`);
    }
    checkText(`allowed_parameters[${index}]`, name, parameterNameLengthMax);
    if (managedParameters.includes(name)) refuse(`allowed_parameters must not contain '${name}': the gateway sets it`);
  }
}

function checkInteger(name: string, value: number | null, [min, max]: readonly [number, number]): void {
  if (value !== null && !(Number.isInteger(value) && value >= min && value <= max)) {
    refuse(`${name} must be a whole number from ${min} to ${max}`);
  }
}

function refuse(message: string): never {
  throw new GatewayError("invalid_argument", message);
}
