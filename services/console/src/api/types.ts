// Answers of the Control Plane's operations, as far as the console shows them.

import type { JsonSchema } from "./json-schema.ts";

export interface Page {
  readonly next_cursor: string | null;
}

export interface Project {
  readonly id: number;
  readonly uuid: string;
  readonly name: string;
  readonly project_type: ProjectType;
  readonly rate_limit_per_minute: number | null;
  readonly rate_limit_per_hour: number | null;
  readonly on_ledger_unavailable: "refuse" | { readonly allow_for_seconds: number };
  readonly created_at: string;
}

export type ProjectType = "ai_gateway" | "ai_wrapper" | "api_gateway" | "mcp_gateway";

export interface Token {
  readonly id: number;
  readonly name: string;
  readonly scopes: readonly string[];
  /** Slugs and names that it is confined to; all where null. */
  readonly endpoints?: readonly string[] | null;
  readonly tools?: readonly string[] | null;
  readonly is_active: boolean;
  readonly environment: string;
  readonly rate_limit_per_minute?: number | null;
  readonly rate_limit_per_hour?: number | null;
  readonly project: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
}

export interface Target {
  readonly provider: string;
  readonly model: string;
  readonly [more: string]: unknown;
}

export interface Endpoint {
  readonly uuid: string;
  readonly slug: string;
  readonly project: string;
  readonly is_active: boolean;
  readonly description: string | null;
  readonly targets?: readonly Target[];
  readonly upstream_url?: string;
  readonly allowed_methods?: readonly string[];
  readonly monthly_budget_usd?: number | null;
  readonly system_prompt?: string | null;
  readonly streaming_enabled?: boolean;
  readonly updated_at: string;
}

export interface Provider {
  readonly id: number;
  readonly name: string;
  readonly kind: string;
  readonly base_url: string | null;
  readonly enabled: boolean;
  readonly created_at: string;
}

export interface ProviderHealth {
  readonly provider: string;
  readonly credential_id: number | null;
  readonly enabled: boolean;
  readonly credential: string | null;
  readonly state: string;
  readonly consecutive_failures: number;
  readonly last_failure: string | null;
  readonly last_failure_at: string | null;
  readonly last_success_at: string | null;
  /** Of each model that was asked. */
  readonly models?: readonly ModelHealth[];
}

interface ModelHealth {
  readonly model: string;
  readonly state: string;
  readonly last_failure: string | null;
}

export interface Credential {
  readonly id: number;
  readonly name: string;
  readonly provider: string;
  readonly is_active: boolean;
  readonly created_at: string;
}

export interface Upstream {
  readonly id: number;
  readonly prefix: string;
  readonly url: string;
  readonly is_active: boolean;
  readonly state: UpstreamState;
  readonly [setting: string]: unknown;
}

interface UpstreamState {
  readonly health: string;
  readonly tool_count: number;
  /** Tools whose definition differs from the approved one. */
  readonly changed_tools: readonly string[];
  readonly quarantined_tools: readonly NamedReason[];
  readonly suspicious_tools: readonly NamedReason[];
  readonly listed_at: string | null;
  readonly last_error: string | null;
}

/** A tool, and why it stands out. */
export interface NamedReason {
  readonly name: string;
  readonly reason: string;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

export interface UpstreamTool {
  readonly name: string;
  /** The approved one. */
  readonly definition: ToolDefinition;
  /** The one that the upstream shows instead. */
  readonly changed_definition: ToolDefinition | null;
  readonly approved_at: string;
}

export interface ChatSession {
  readonly id: number;
  readonly session_uuid: string;
  readonly endpoint: string;
  readonly slug: string;
  readonly token_id: number;
  readonly message_count: number;
  readonly created_at: string;
  readonly last_used_at: string;
  readonly expires_at: string;
}

/** How an upstream answers now, step by step. */
export interface UpstreamCheck {
  readonly reachable: boolean;
  readonly steps: readonly {
    readonly name: string;
    readonly succeeded: boolean;
    readonly detail: string | null;
    readonly duration_ms: number;
  }[];
}

export interface OAuthConnection {
  readonly id: number;
  readonly name: string;
  readonly token_url: string;
  readonly grant: string;
  readonly status: string;
  readonly last_error: string | null;
  readonly refreshed_at: string | null;
  readonly expires_at: string | null;
  readonly [more: string]: unknown;
}

export interface Finding {
  readonly detector: string;
  readonly label: string;
  readonly start: number;
  readonly end: number;
  readonly score?: number;
}

export interface Verdict {
  readonly blocked: boolean;
  readonly message?: string | null;
  readonly findings: readonly Finding[];
}

export interface RequestEntry {
  readonly id: number;
  readonly at: string;
  readonly request_id: string;
  readonly trace_id: string | null;
  readonly project: string | null;
  readonly endpoint: string | null;
  readonly token_id: number | null;
  readonly user: string | null;
  readonly route: string;
  readonly status: number;
  readonly error: string | null;
  readonly duration_ms: number;
  readonly provider: string | null;
  readonly model: string | null;
  readonly attempts: number;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly cost_usd: number | null;
  readonly details?: Readonly<Record<string, unknown>> | null;
}

export interface AuditEntry {
  readonly id: number;
  readonly at: string;
  readonly event: string;
  readonly severity: string;
  readonly actor: string;
  readonly project: { readonly uuid: string; readonly name: string } | null;
  readonly target: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly ip_address: string | null;
}

export interface Usage {
  readonly month: string;
  readonly endpoints: readonly EndpointUsage[];
  readonly total: UsageNumbers;
}

interface UsageNumbers {
  readonly requests: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly cost_usd: number;
}

export interface EndpointUsage extends UsageNumbers {
  readonly endpoint: string;
  readonly slug: string;
}

export interface AdminKey {
  readonly id: number;
  readonly name: string;
  readonly role: string;
  readonly projects: readonly string[] | null;
  readonly is_active?: boolean;
  readonly created_at: string;
  readonly last_used_at?: string | null;
  readonly expires_at?: string | null;
}

/** Changes that applying a configuration makes, or would make. */
export interface Plan {
  readonly dry_run: boolean;
  readonly applied: number;
  readonly changes: readonly {
    readonly action: string;
    readonly kind: string;
    readonly name: string;
    readonly project: string | null;
    readonly fields: readonly string[];
  }[];
  /** Of what was made, this once. */
  readonly secrets: readonly Readonly<Record<string, unknown>>[];
}

export interface AuditCheck {
  readonly ok: boolean;
  readonly rows: number;
  readonly chains: number;
  readonly faults: readonly {
    /** A uuid; null for the gateway's own chain. */
    readonly project: string | null;
    /** The service whose numbering has a gap; absent where a chain has the fault. */
    readonly service?: string;
    readonly sequence: number;
    readonly kind: string;
    readonly detail: string;
  }[];
}

/** One part of a check of the audit log. */
export interface AuditCheckPart extends AuditCheck {
  /** Of the whole check. */
  readonly total_rows: number;
  /** Null at the last part. */
  readonly next_cursor: string | null;
}

/** An identity provider whose tokens a project takes. */
export interface Issuer {
  readonly id: number;
  readonly issuer: string;
  readonly audience: string;
  readonly scopes: readonly string[];
  readonly scope_claim: string | null;
  readonly jwks_url: string | null;
  readonly rate_limit_per_minute: number | null;
  readonly rate_limit_per_hour: number | null;
  readonly created_at: string;
}

/** A token that stands for a subject of an issuer. */
export interface Subject {
  readonly id: number;
  readonly subject: string;
  readonly is_active: boolean;
  readonly created_at: string;
  readonly last_used_at: string | null;
}

export interface ConsoleSession {
  readonly id: number;
  readonly admin_key_id: number;
  readonly name: string;
  readonly role: string;
  readonly ip_address: string | null;
  readonly user_agent: string | null;
  readonly created_at: string;
  readonly last_used_at: string;
  readonly expires_at: string;
}
