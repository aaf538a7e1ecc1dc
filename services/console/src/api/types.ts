// Records of the Control Plane, typed by the operations' own schemas.

import type { Operations } from "./generated/operations.ts";

export type OperationName = keyof Operations;
export type ArgumentsOf<Name extends OperationName> = Operations[Name]["arguments"];
export type ResultOf<Name extends OperationName> = Operations[Name]["result"];

/** Operations that return a page of a list. */
export type ListName = {
  [Name in OperationName]: ResultOf<Name> extends { readonly next_cursor: string | null } ? Name : never;
}[OperationName];
/** Operations on a log. */
export type LogName = "svc_query_gateway_log" | "svc_query_audit_log";
export type LogEntry<Name extends LogName> = ResultOf<Name>["entries"][number];

type KeysOfEach<T> = T extends unknown ? keyof T : never;
type ValueIn<T, Key extends PropertyKey> = T extends Readonly<Record<Key, infer Value>> ? Value : never;
/** A record that several owners return: members that all have, and optional ones. */
type OfAny<T> = { readonly [Key in keyof T]: T[Key] } & {
  readonly [Key in Exclude<KeysOfEach<T>, keyof T>]?: ValueIn<T, Key>;
};

export type Project = ResultOf<"svc_get_project">;
export type ProjectType = Project["project_type"];
export type Token = ResultOf<"svc_list_tokens">["tokens"][number];
export type Issuer = ResultOf<"svc_list_issuers">["issuers"][number];
/** A token of an issuer's subject. */
export type Subject = ResultOf<"svc_list_subjects">["subjects"][number];
export type Endpoint = OfAny<ResultOf<"svc_get_endpoint">>;
export type Target = NonNullable<Endpoint["targets"]>[number];
export type Provider = ResultOf<"svc_list_providers">["providers"][number];
export type ProviderHealth = ResultOf<"svc_get_provider_health">["providers"][number];
export type Credential = ResultOf<"svc_list_credentials">["credentials"][number];
export type Upstream = ResultOf<"svc_list_upstreams">["upstreams"][number];
/** A suspicious tool, with the reason. */
export type NamedReason = Upstream["state"]["suspicious_tools"][number];
export type UpstreamTool = ResultOf<"svc_list_upstream_tools">["tools"][number];
export type ToolDefinition = UpstreamTool["definition"];
/** Result of a test of an upstream, step by step. */
export type UpstreamCheck = ResultOf<"svc_test_upstream">;
export type OAuthConnection = ResultOf<"svc_list_oauth_connections">["oauth_connections"][number];
export type ChatSession = ResultOf<"svc_list_sessions">["sessions"][number];
export type Verdict = ResultOf<"svc_test_guardrails">;
export type Finding = Verdict["findings"][number];
export type RequestEntry = ResultOf<"svc_query_gateway_log">["entries"][number];
export type AuditEntry = ResultOf<"svc_query_audit_log">["entries"][number];
export type Usage = ResultOf<"svc_get_usage">;
export type EndpointUsage = Usage["endpoints"][number];
export type AdminKey = ResultOf<"svc_list_admin_keys">["admin_keys"][number];
export type ConsoleSession = ResultOf<"svc_list_console_sessions">["console_sessions"][number];
/** Changes that applying a configuration makes or would make. */
export type Plan = ResultOf<"svc_apply_config">;
export type AuditCheckPart = ResultOf<"svc_verify_audit_log">;
export type AuditCheck = Pick<AuditCheckPart, "ok" | "rows" | "chains" | "faults">;
export type Webhook = ResultOf<"svc_list_webhooks">["webhooks"][number];
/** Results of a webhook in the last day. */
export type WebhookHealth = ResultOf<"svc_get_webhook_health">["webhooks"][number];
export type Delivery = ResultOf<"svc_redeliver">;
export type System = ResultOf<"svc_get_system">;
export type ServiceState = System["services"][number];
export type Metrics = ResultOf<"svc_query_metrics">;
export type MetricSeries = Metrics["series"][number];
export type MetricSums = MetricSeries["total"];
export type MetricPoint = MetricSeries["points"][number];
/** Finding that the gateway has recorded of a past call; a {@link Finding} is that of a test. */
export type PastFinding = ResultOf<"svc_list_findings">["findings"][number];
export type FindingCount = ResultOf<"svc_count_findings">["counts"][number];
