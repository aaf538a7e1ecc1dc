import {
  array,
  boolean,
  type Columns,
  defineResource,
  dollars,
  integer,
  jsonObject,
  nullable,
  object,
  ofProject,
  oneOf,
  reference,
  shown,
  slug,
  string,
  withDefault,
  withoutItems,
  withoutMembers,
  writable,
  writableName,
  writableOptional,
} from "@gatehouse/admin";
import type { Target } from "@gatehouse/failover";
import { schemaBounds } from "@gatehouse/json-schema";
import { toDollars, toMicros } from "@gatehouse/money";
import { endpointBounds as bounds } from "./endpoint-bounds.ts";
import { target } from "./target.ts";

/**
 * Handling of a stream that breaks off at the provider: `error` ends it with an error event, `hold` sends nothing before the
 * answer is complete, `continue` lets the next target continue the text.
 */
const midStreamPolicies = ["error", "hold", "continue"] as const;
type MidStreamPolicy = (typeof midStreamPolicies)[number];

/** Whether a stored text is a policy of this version; a later version may have stored others. */
export function isMidStreamPolicy(value: string): value is MidStreamPolicy {
  return (midStreamPolicies as readonly string[]).includes(value);
}

/** Parameters that the gateway sets itself; an administrator's value would change the meaning of a reply. */
const managedParameters: readonly string[] = ["model", "messages", "stream", "stream_options", "n"];

const managedProblem = (name: string) => `must not contain '${name}': the gateway sets it`;

const milliseconds = (description: string) =>
  nullable(integer({ description, min: bounds.timeoutMsMin, max: bounds.timeoutMsMax }));

/** A named route to a model, of an ai_gateway or ai_wrapper project. */
export const endpoint = defineResource({
  uuid: shown(reference("The endpoint's uuid.")),
  slug: writableName(slug),
  project: ofProject,
  is_active: shown(boolean("Whether it answers.")),
  targets: writable(
    array(object(target.createInput), {
      description: "Targets of calls, tried in this order.",
      min: 1,
      max: bounds.targetsMax,
    }),
    {
      store: (targets) => targets.map(target.toColumns),
      show: ({ targets }: { readonly targets: readonly Target[] }) => targets.map(target.encode),
      shownAs: array(target.shape),
    },
  ),
  description: writableOptional(
    nullable(string({ description: "Shown to MCP clients.", lengthMax: bounds.descriptionLengthMax, multiline: true })),
  ),
  system_prompt: writableOptional(
    nullable(
      string({
        description: "Put before every conversation.",
        lengthMax: bounds.systemPromptLengthMax,
        multiline: true,
      }),
    ),
  ),
  parameters: writableOptional(
    nullable(
      withoutMembers(
        jsonObject("Model parameters sent with every call, such as temperature.", bounds.parametersJsonLengthMax),
        managedParameters,
        managedProblem,
      ),
    ),
  ),
  streaming_enabled: writableOptional(
    boolean(
      "Whether `stream: true` is honoured. When absent: true in ai_wrapper projects, whose clients expect it, else false.",
    ),
  ),
  expose_as_mcp_tool: writableOptional(
    withDefault(boolean("Whether the endpoint is a tool on the project's MCP route."), false),
  ),
  max_request_tokens: writableOptional(
    nullable(integer({ description: "Estimated tokens of one request.", min: 1, max: bounds.requestTokensMax })),
  ),
  max_response_tokens: writableOptional(
    nullable(
      integer({
        description:
          "Tokens of one answer, reasoning included: a longer limit of a request, or none, becomes this one before the provider " +
          "is asked, and the answer ends there with finish_reason length.",
        min: 1,
        max: bounds.responseTokensMax,
      }),
    ),
  ),
  monthly_budget_usd: writableOptional(nullable(dollars("US dollars a calendar month (UTC).")), {
    column: "monthlyBudgetMicros",
    store: (usd) => (usd === null ? null : toMicros(usd)),
    show: ({ monthlyBudgetMicros: micros }: { readonly monthlyBudgetMicros: number | null }) =>
      micros === null ? null : toDollars(micros),
  }),
  input_schema: writableOptional(nullable(jsonObject("JSON Schema of the request body.", schemaBounds.jsonLengthMax))),
  output_schema: writableOptional(
    nullable(jsonObject("JSON Schema of the model's output, parsed as JSON.", schemaBounds.jsonLengthMax)),
  ),
  timeout_ms: writableOptional(milliseconds("Bound of one attempt at one target, milliseconds.")),
  first_token_timeout_ms: writableOptional(
    milliseconds("From a stream's request to its first token, milliseconds; timeout_ms where absent."),
  ),
  idle_timeout_ms: writableOptional(
    milliseconds("Longest silence inside an answer, milliseconds; timeout_ms where absent."),
  ),
  mid_stream: writableOptional(
    withDefault(
      oneOf(
        "The outcome of a stream that breaks off at the provider: error ends it with an error event, hold sends nothing before " +
          "the answer is whole (or hold_tokens of it are there), continue has the next target go on from the text so far.",
        midStreamPolicies,
      ),
      "error",
    ),
  ),
  hold_tokens: writableOptional(
    nullable(
      integer({
        description:
          "With mid_stream hold: how many tokens are held before the stream is passed on as it comes; the whole answer where absent.",
        min: 1,
        max: bounds.holdTokensMax,
      }),
    ),
  ),
  allowed_parameters: writableOptional(
    nullable(
      withoutItems(
        array(string({ description: "A parameter's name.", lengthMax: bounds.parameterNameLengthMax }), {
          description:
            "Parameters that callers may send although they choose a model, a route or a provider, such as models or provider. " +
            "None of these where absent; other parameters are always allowed.",
          min: 0,
          max: bounds.allowedParametersMax,
        }),
        managedParameters,
        managedProblem,
      ),
    ),
    { store: (names) => names ?? [] },
  ),
  created_at: shown(reference("When it was made.")),
  updated_at: shown(reference("When it was changed last.")),
});

/** The part of an endpoint that administrators write. */
export interface EndpointDefinition extends Omit<
  Columns<typeof endpoint.fields>,
  "targets" | "monthlyBudgetUsd" | "allowedParameters"
> {
  /** Tried in this order; at least one. */
  readonly targets: readonly Target[];
  readonly monthlyBudgetMicros: number | null;
  /** Parameters that callers may send although they choose a model, a route or a provider; others that do are refused. */
  readonly allowedParameters: readonly string[];
}

/** Stored endpoint: its definition with the facts that the gateway sets. Only an active one takes calls. */
export interface Endpoint extends EndpointDefinition {
  readonly uuid: string;
  readonly projectUuid: string;
  readonly isActive: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
