import type { Endpoint, JsonObject, MidStreamPolicy, Target } from "../domain/endpoint.ts";

/** A row of `endpoints` as hand-written statements read it. */
export interface EndpointRecord {
  readonly uuid: string;
  readonly project_uuid: string;
  readonly slug: string;
  readonly is_active: boolean;
  readonly targets: readonly Target[];
  readonly description: string | null;
  readonly system_prompt: string | null;
  readonly parameters: JsonObject | null;
  readonly streaming_enabled: boolean;
  readonly expose_as_mcp_tool: boolean;
  readonly max_request_tokens: number | null;
  /** Postgres' bigint arrives as text. */
  readonly monthly_budget_micros: string | null;
  readonly input_schema: JsonObject | null;
  readonly output_schema: JsonObject | null;
  readonly timeout_ms: number | null;
  readonly first_token_timeout_ms: number | null;
  readonly idle_timeout_ms: number | null;
  readonly mid_stream: MidStreamPolicy;
  readonly allowed_parameters: readonly string[];
  readonly created_at: Date;
  readonly updated_at: Date;
}

export const endpointColumns = [
  "uuid",
  "project_uuid",
  "slug",
  "is_active",
  "targets",
  "description",
  "system_prompt",
  "parameters",
  "streaming_enabled",
  "expose_as_mcp_tool",
  "max_request_tokens",
  "monthly_budget_micros",
  "input_schema",
  "output_schema",
  "timeout_ms",
  "first_token_timeout_ms",
  "idle_timeout_ms",
  "mid_stream",
  "allowed_parameters",
  "created_at",
  "updated_at",
].join(", ");

export function toEndpointFromRecord(row: EndpointRecord): Endpoint {
  return {
    uuid: row.uuid,
    projectUuid: row.project_uuid,
    slug: row.slug,
    isActive: row.is_active,
    targets: row.targets,
    description: row.description,
    systemPrompt: row.system_prompt,
    parameters: row.parameters,
    streamingEnabled: row.streaming_enabled,
    exposeAsMcpTool: row.expose_as_mcp_tool,
    maxRequestTokens: row.max_request_tokens,
    monthlyBudgetMicros: row.monthly_budget_micros === null ? null : Number(row.monthly_budget_micros),
    inputSchema: row.input_schema,
    outputSchema: row.output_schema,
    timeoutMs: row.timeout_ms,
    firstTokenTimeoutMs: row.first_token_timeout_ms,
    idleTimeoutMs: row.idle_timeout_ms,
    midStream: row.mid_stream,
    allowedParameters: row.allowed_parameters,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
