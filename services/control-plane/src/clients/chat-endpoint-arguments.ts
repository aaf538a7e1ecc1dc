import { reservedSlugs, slugPattern } from "@gatehouse/slugs";
import {
  type Argument,
  argument,
  type ArgumentsOf,
  flag,
  integer,
  invalid,
  list,
  nullable,
  number,
  oneOf,
  optional,
  record,
  text,
  withDefault,
} from "../domain/arguments.ts";
import { jsonObject } from "../domain/json-argument.ts";
import { dollars } from "../domain/money.ts";

const int32Max = 2_147_483_647;
const targetsMax = 16;
const textLengthMax = 200;
const promptLengthMax = 256 * 1024;
const pricePerMillionMax = 1_000_000;
const timeoutMsMax = 3_600_000;
const retriesMax = 5;
const allowedParametersMax = 64;
const parameterNameLengthMax = 64;

const slugText = text({ description: "The endpoint's name in its path, unique in the project.", lengthMax: 63 });

const slug: Argument<string> = argument({ ...slugText.schema, pattern: slugPattern.source }, (value, field) => {
  const given = slugText.read(value, field);
  if (!slugPattern.test(given)) throw invalid(field, `must match ${slugPattern.source}`);
  if (reservedSlugs.has(given)) throw invalid(field, `must not be one of ${[...reservedSlugs].join(", ")}`);
  return given;
});

const price = (side: string) =>
  optional(number({ description: `US dollars for a million ${side} tokens.`, min: 0, max: pricePerMillionMax }));

const target = record({
  provider: text({ description: "A provider's name.", lengthMax: textLengthMax }),
  model: text({ description: "The provider's name of the model.", lengthMax: textLengthMax }),
  input_price_per_million: price("input"),
  output_price_per_million: price("output"),
  retries: optional(
    integer({
      description: "Further tries at this target before the next one; 0 when absent.",
      min: 0,
      max: retriesMax,
    }),
  ),
});

const targets = list(target, { description: "Where calls go, tried in this order.", min: 1, max: targetsMax });

const description = text({ description: "Shown to MCP clients.", lengthMax: 4_096, multiline: true });
const systemPrompt = text({
  description: "Put before every conversation.",
  lengthMax: promptLengthMax,
  multiline: true,
});
const parameters = jsonObject("Model parameters sent with every call, such as temperature.");
const streamingEnabled = flag(
  "Whether `stream: true` is honoured. When absent: true in ai_wrapper projects, whose clients expect it, else false.",
);
const exposeAsMcpTool = flag("Whether the endpoint is a tool on the project's MCP route.");
const maxRequestTokens = integer({ description: "Estimated tokens of one request.", min: 1, max: int32Max });
const monthlyBudget = dollars("US dollars a calendar month (UTC), with at most 6 decimals.");
const inputSchema = jsonObject("JSON Schema of the request body.");
const outputSchema = jsonObject("JSON Schema of the model's output, parsed as JSON.");
const timeoutMs = integer({
  description: "Bound of one attempt at one target, milliseconds.",
  min: 1,
  max: timeoutMsMax,
});

const firstTokenTimeoutMs = integer({
  description: "From a stream's request to its first token, milliseconds; timeout_ms where absent.",
  min: 1,
  max: timeoutMsMax,
});
const idleTimeoutMs = integer({
  description: "Longest silence inside an answer, milliseconds; timeout_ms where absent.",
  min: 1,
  max: timeoutMsMax,
});
const midStream = oneOf(
  "What becomes of a stream that breaks off at the provider: error ends it with an error event, hold sends nothing before " +
    "the answer is whole, continue has the next target go on from the text so far.",
  ["error", "hold", "continue"],
);

const allowedParameters = list(text({ description: "A parameter's name.", lengthMax: parameterNameLengthMax }), {
  description:
    "Parameters that callers may send although they choose a model, a route or a provider, such as models or provider. " +
    "None of these where absent; other parameters are always allowed.",
  min: 0,
  max: allowedParametersMax,
});

/** What `svc_create_endpoint` takes for an AI endpoint. */
export const newEndpointArguments = {
  slug,
  targets,
  description: optional(description),
  system_prompt: optional(systemPrompt),
  parameters: optional(parameters),
  streaming_enabled: optional(streamingEnabled),
  expose_as_mcp_tool: withDefault(exposeAsMcpTool, false),
  max_request_tokens: optional(maxRequestTokens),
  monthly_budget_usd: optional(monthlyBudget),
  input_schema: optional(inputSchema),
  output_schema: optional(outputSchema),
  timeout_ms: optional(timeoutMs),
  first_token_timeout_ms: optional(firstTokenTimeoutMs),
  idle_timeout_ms: optional(idleTimeoutMs),
  mid_stream: optional(midStream),
  allowed_parameters: optional(allowedParameters),
};

/** What `svc_update_endpoint` takes: what is absent stays, null takes a setting away. */
export const endpointChangeArguments = {
  slug: optional(slug),
  targets: optional(targets),
  description: nullable(description),
  system_prompt: nullable(systemPrompt),
  parameters: nullable(parameters),
  streaming_enabled: optional(streamingEnabled),
  expose_as_mcp_tool: optional(exposeAsMcpTool),
  max_request_tokens: nullable(maxRequestTokens),
  monthly_budget_usd: nullable(monthlyBudget),
  input_schema: nullable(inputSchema),
  output_schema: nullable(outputSchema),
  timeout_ms: nullable(timeoutMs),
  first_token_timeout_ms: nullable(firstTokenTimeoutMs),
  idle_timeout_ms: nullable(idleTimeoutMs),
  mid_stream: optional(midStream),
  allowed_parameters: nullable(allowedParameters),
};

export type EndpointChanges = ArgumentsOf<typeof endpointChangeArguments>;
export type EndpointTarget = ArgumentsOf<typeof newEndpointArguments>["targets"][number];
