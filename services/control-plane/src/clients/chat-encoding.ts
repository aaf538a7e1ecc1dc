import type { JsonObject } from "@gatehouse/json-rpc";
import type { Credential, Endpoint, Provider, Target } from "@gatehouse/proto/chat";
import { toDollars } from "../domain/money.ts";
import { requirePart, toTimestamp } from "./parse-reply.ts";

export function encodeProvider(provider: Provider | undefined): JsonObject {
  const { id, name, kind, baseUrl, enabled, createdAt } = requirePart(provider, "provider");
  return { id, name, kind, base_url: baseUrl ?? null, enabled, created_at: toTimestamp(createdAt) };
}

/** A credential without its key; `hint` is the key's last four characters. */
export function encodeCredential(credential: Credential | undefined): JsonObject {
  const { id, provider, name, isActive, hint, createdAt } = requirePart(credential, "credential");
  return { id, provider, name, is_active: isActive, hint, created_at: toTimestamp(createdAt) };
}

/** An AI endpoint as the contract shows it: what is not set is null. */
export function encodeEndpoint(endpoint: Endpoint | undefined): JsonObject {
  const { uuid, projectUuid, isActive, definition, createdAt, updatedAt } = requirePart(endpoint, "endpoint");
  const defined = requirePart(definition, "definition");
  const budget = defined.monthlyBudgetMicros;
  return {
    uuid,
    slug: defined.slug,
    project: projectUuid,
    is_active: isActive,
    targets: defined.targets.map(encodeTarget),
    description: defined.description ?? null,
    system_prompt: defined.systemPrompt ?? null,
    parameters: defined.parameters ?? null,
    streaming_enabled: defined.streamingEnabled,
    expose_as_mcp_tool: defined.exposeAsMcpTool,
    max_request_tokens: defined.maxRequestTokens ?? null,
    monthly_budget_usd: budget === undefined ? null : toDollars(budget),
    input_schema: defined.inputSchema ?? null,
    output_schema: defined.outputSchema ?? null,
    timeout_ms: defined.timeoutMs ?? null,
    first_token_timeout_ms: defined.firstTokenTimeoutMs ?? null,
    idle_timeout_ms: defined.idleTimeoutMs ?? null,
    mid_stream: defined.midStream === "" ? "error" : defined.midStream,
    allowed_parameters: defined.allowedParameters,
    created_at: toTimestamp(createdAt),
    updated_at: toTimestamp(updatedAt),
  };
}

function encodeTarget({ provider, model, inputPricePerMillion, outputPricePerMillion, retries }: Target): JsonObject {
  return {
    provider,
    model,
    input_price_per_million: inputPricePerMillion ?? null,
    output_price_per_million: outputPricePerMillion ?? null,
    retries: retries ?? 0,
  };
}
