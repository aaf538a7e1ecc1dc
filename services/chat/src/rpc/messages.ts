import type { PageRequest } from "@gatehouse/database";
import { GatewayError } from "@gatehouse/errors";
import type {
  Credential as CredentialMessage,
  Endpoint as EndpointMessage,
  EndpointDefinition as DefinitionMessage,
  Page as PageMessage,
  Provider as ProviderMessage,
} from "@gatehouse/proto/chat";
import { type Endpoint, type EndpointDefinition, isMidStreamPolicy, type MidStreamPolicy } from "../domain/endpoint.ts";
import type { Credential } from "../store/credentials.ts";
import type { Provider } from "../store/providers.ts";

export function toPageRequest(page: PageMessage | undefined): PageRequest {
  return page ?? {};
}

export function toProviderMessage({ baseUrl, ...provider }: Provider): ProviderMessage {
  return { ...provider, ...optional("baseUrl", baseUrl) };
}

export function toCredentialMessage(credential: Credential): CredentialMessage {
  return credential;
}

export function toEndpointMessage(endpoint: Endpoint): EndpointMessage {
  const { uuid, projectUuid, isActive, createdAt, updatedAt } = endpoint;
  return { uuid, projectUuid, isActive, createdAt, updatedAt, definition: toDefinitionMessage(endpoint) };
}

function toDefinitionMessage(definition: EndpointDefinition): DefinitionMessage {
  return {
    slug: definition.slug,
    targets: [...definition.targets],
    streamingEnabled: definition.streamingEnabled,
    exposeAsMcpTool: definition.exposeAsMcpTool,
    allowedParameters: [...definition.allowedParameters],
    ...optional("description", definition.description),
    ...optional("systemPrompt", definition.systemPrompt),
    ...optional("parameters", definition.parameters),
    ...optional("maxRequestTokens", definition.maxRequestTokens),
    ...optional("monthlyBudgetMicros", definition.monthlyBudgetMicros),
    ...optional("inputSchema", definition.inputSchema),
    ...optional("outputSchema", definition.outputSchema),
    ...optional("timeoutMs", definition.timeoutMs),
    ...optional("firstTokenTimeoutMs", definition.firstTokenTimeoutMs),
    ...optional("idleTimeoutMs", definition.idleTimeoutMs),
    midStream: definition.midStream,
  };
}

/** @throws GatewayError `invalid_argument` when the message is absent. */
export function fromDefinitionMessage(message: DefinitionMessage | undefined): EndpointDefinition {
  if (message === undefined) throw new GatewayError("invalid_argument", "Missing required argument: definition");
  return {
    slug: message.slug,
    targets: message.targets,
    description: message.description ?? null,
    systemPrompt: message.systemPrompt ?? null,
    parameters: message.parameters ?? null,
    streamingEnabled: message.streamingEnabled,
    exposeAsMcpTool: message.exposeAsMcpTool,
    maxRequestTokens: message.maxRequestTokens ?? null,
    monthlyBudgetMicros: message.monthlyBudgetMicros ?? null,
    inputSchema: message.inputSchema ?? null,
    outputSchema: message.outputSchema ?? null,
    timeoutMs: message.timeoutMs ?? null,
    firstTokenTimeoutMs: message.firstTokenTimeoutMs ?? null,
    idleTimeoutMs: message.idleTimeoutMs ?? null,
    midStream: toMidStream(message.midStream),
    allowedParameters: message.allowedParameters,
  };
}

/** An absent one is the default's. */
function toMidStream(value: string): MidStreamPolicy {
  if (value === "") return "error";
  if (isMidStreamPolicy(value)) return value;
  throw new GatewayError("invalid_argument", "mid_stream must be error, hold or continue");
}

/** The field of the definition for each name that an update mask may hold. */
const maskFields: Readonly<Record<string, keyof EndpointDefinition>> = {
  slug: "slug",
  targets: "targets",
  description: "description",
  system_prompt: "systemPrompt",
  parameters: "parameters",
  streaming_enabled: "streamingEnabled",
  expose_as_mcp_tool: "exposeAsMcpTool",
  max_request_tokens: "maxRequestTokens",
  monthly_budget_micros: "monthlyBudgetMicros",
  input_schema: "inputSchema",
  output_schema: "outputSchema",
  timeout_ms: "timeoutMs",
  first_token_timeout_ms: "firstTokenTimeoutMs",
  idle_timeout_ms: "idleTimeoutMs",
  mid_stream: "midStream",
  allowed_parameters: "allowedParameters",
};

/** Takes the named fields over into a definition. @throws GatewayError `invalid_argument` for an unknown name. */
export function mergeDefinition(
  present: EndpointDefinition,
  changed: EndpointDefinition,
  mask: readonly string[],
): EndpointDefinition {
  const fields = mask.map((name) => {
    const field = maskFields[name];
    if (field === undefined) throw new GatewayError("invalid_argument", `Unknown field in update_mask: ${name}`);
    return field;
  });
  const kept = Object.values(maskFields).map((field) => [field, (fields.includes(field) ? changed : present)[field]]);
  return Object.fromEntries(kept);
}

function optional<Name extends string, Value>(name: Name, value: Value | null): { [K in Name]?: Value } {
  return value === null ? {} : ({ [name]: value } as { [K in Name]?: Value });
}
