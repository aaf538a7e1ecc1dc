import type { OperationCommand } from "./command.ts";

/** Overrides of an operation's derived command line. */
export interface Wording {
  readonly path?: readonly [string, string];
  /** Arguments that are words of the command line, in order; `owner` is a project or endpoint. */
  readonly words?: readonly string[];
  readonly columns?: readonly string[];
  /** List of the result; derived from the operation's name where absent. */
  readonly list?: string;
  readonly confirms?: OperationCommand["confirms"];
}

/** Operations with hand-written commands, `apply` and `export`. */
export const withOwnCommand: ReadonlySet<string> = new Set(["svc_apply_config", "svc_export_backup"]);

/** Option names that differ from their argument. */
export const optionNames: Readonly<Record<string, string>> = {
  project_type: "type",
  streaming_enabled: "streaming",
  expose_as_mcp_tool: "mcp-tool",
  allowed_methods: "method",
};

/** Overrides by operation; others are derived from the schema. */
export const wordings: Readonly<Record<string, Wording>> = {
  svc_list_projects: { columns: ["uuid", "name", "project_type", "rate_limit_per_minute", "rate_limit_per_hour"] },
  svc_delete_project: {
    confirms: { consequence: "This deletes the project with its tokens, endpoints and sessions", needsYes: true },
  },
  svc_list_tokens: {
    columns: ["id", "name", "scopes", "environment", "is_active", "last_used_at", "expires_at"],
  },
  svc_list_issuers: { columns: ["id", "issuer", "audience", "scopes", "scope_claim", "jwks_url"] },
  svc_list_subjects: { path: ["issuer", "subjects"], columns: ["id", "subject", "is_active", "last_used_at"] },
  svc_revoke_subject: { path: ["issuer", "revoke-subject"] },
  svc_list_providers: { columns: ["id", "name", "kind", "base_url", "enabled"] },
  svc_get_provider_health: {
    path: ["provider", "health"],
    list: "providers",
    columns: ["provider", "enabled", "state", "consecutive_failures", "last_failure", "last_success_at"],
  },
  svc_list_credentials: { columns: ["id", "provider", "name", "is_active", "hint"] },
  svc_list_endpoints: { columns: ["uuid", "slug", "is_active", "targets", "upstream_url"] },
  svc_get_guardrails: { words: ["owner"] },
  svc_set_guardrails: {
    words: ["owner"],
    confirms: { consequence: "This removes the policy", needsYes: false, flag: "clear" },
  },
  svc_test_guardrails: { words: ["owner", "text"] },
  svc_list_findings: {
    path: ["guardrails", "findings"],
    words: ["owner"],
    columns: ["id", "at", "side", "detector", "label", "action", "excerpt"],
  },
  svc_count_findings: {
    path: ["guardrails", "count-findings"],
    words: ["owner"],
    list: "counts",
    columns: ["day", "detector", "action", "count"],
  },
  svc_add_guardrail_feedback: { path: ["guardrails", "add-feedback"], words: ["owner", "kind"] },
  svc_list_guardrail_feedback: {
    path: ["guardrails", "list-feedback"],
    words: ["owner"],
    list: "feedback",
    columns: ["id", "at", "kind", "detector", "finding_id", "text", "note"],
  },
  svc_get_guardrail_comparison: { path: ["guardrails", "comparison"], words: ["owner"] },
  svc_list_sessions: {
    columns: ["id", "session_uuid", "slug", "token_id", "message_count", "last_used_at", "expires_at"],
  },
  svc_create_upstream: { path: ["upstream", "add"] },
  svc_list_upstreams: {
    columns: ["id", "prefix", "url", "has_bearer_token", "is_active", "state.health", "state.tool_count"],
  },
  svc_list_upstream_tools: {
    path: ["upstream", "tools"],
    list: "tools",
    columns: ["name", "definition.description", "approved_at", "changed_fingerprint"],
  },
  svc_test_upstream: { list: "steps", columns: ["name", "succeeded", "duration_ms", "detail"] },
  svc_approve_tools: { path: ["upstream", "approve"] },
  svc_create_oauth_connection: { words: ["project", "name"] },
  svc_list_oauth_connections: { columns: ["id", "name", "token_url", "grant", "status", "expires_at"] },
  svc_list_webhooks: { columns: ["id", "name", "url", "events", "is_active"] },
  svc_rotate_webhook_secret: { path: ["webhook", "rotate-secret"] },
  svc_get_webhook_health: {
    path: ["webhook", "health"],
    list: "webhooks",
    columns: ["webhook_id", "name", "succeeded", "failed", "last_attempted_at", "last_error"],
  },
  svc_list_deliveries: {
    columns: ["id", "event", "success", "http_status", "duration_ms", "attempted_at", "error"],
  },
  svc_redeliver: { path: ["delivery", "redeliver"] },
  svc_query_gateway_log: {
    path: ["log", "list"],
    list: "entries",
    columns: ["at", "status", "route", "duration_ms", "provider", "model", "cost_usd", "request_id", "error"],
  },
  svc_query_metrics: {
    path: ["metrics", "query"],
    list: "series",
    columns: [
      "group",
      "total.requests",
      "total.errors",
      "total.guardrail_blocks",
      "total.p50_ms",
      "total.p95_ms",
      "total.p99_ms",
      "total.cost_usd",
    ],
  },
  svc_query_audit_log: {
    path: ["audit", "list"],
    list: "entries",
    columns: ["at", "event", "severity", "actor", "target", "ip_address"],
  },
  svc_verify_audit_log: { path: ["audit", "verify"] },
  svc_get_usage: {
    path: ["usage", "get"],
    list: "endpoints",
    columns: ["slug", "requests", "prompt_tokens", "completion_tokens", "cost_usd", "endpoint"],
  },
  svc_list_admin_keys: {
    columns: ["id", "name", "role", "projects", "source", "is_active", "last_used_at", "expires_at"],
  },
};

/** Descriptions of first words, in the order of the help. Others follow, with derived descriptions. */
export const topics: Readonly<Record<string, string>> = {
  project: "Projects.",
  token: "Access tokens of applications.",
  issuer: "Identity providers whose tokens a project trusts.",
  provider: "Model providers.",
  credential: "Keys of providers.",
  endpoint: "Endpoints of projects.",
  guardrails: "Checks of the texts of calls.",
  session: "Sessions of chats.",
  upstream: "Upstream MCP servers of mcp_gateway projects.",
  "oauth-connection": "OAuth connections of api_gateway projects.",
  webhook: "Receivers of events.",
  delivery: "Deliveries to receivers.",
  log: "Requests and their outcomes.",
  metrics: "Requests, errors, latencies and cost over time.",
  audit: "Changes, chained so that none can be taken away.",
  usage: "Requests, tokens and cost.",
  "admin-key": "Keys of administrators.",
  "console-session": "Administrators who are signed in at the console.",
};
