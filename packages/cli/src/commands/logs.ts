import type { OperationCommand } from "../command.ts";
import { endpoint, project, range } from "./shared.ts";

export const logCommands: readonly OperationCommand[] = [
  {
    path: ["log", "list"],
    description: "Lists requests and their outcomes, newest first.",
    operation: "svc_query_gateway_log",
    options: [
      ...range,
      { name: "status", kind: "text", description: "A status code, or a class such as 4xx." },
      endpoint,
      { name: "token-id", kind: "integer", description: "Only this access token's." },
      { name: "route", kind: "text", description: "Only this kind of route, such as chat_direct." },
      { name: "provider", kind: "text", description: "Only what this provider was called for last." },
      { name: "request-id", kind: "text", description: "Only this request." },
    ],
    table: {
      list: "entries",
      columns: ["at", "status", "route", "duration_ms", "provider", "model", "cost_usd", "request_id", "error"],
    },
  },
  {
    path: ["audit", "list"],
    description: "Lists changes, newest first.",
    operation: "svc_query_audit_log",
    options: [
      ...range,
      { name: "event", kind: "text", description: "Only this event key." },
      { name: "severity", kind: "text", description: "Only info, warn, error or critical." },
    ],
    table: { list: "entries", columns: ["at", "event", "severity", "actor", "target", "ip_address"] },
  },
  {
    path: ["audit", "verify"],
    description: "Walks the hash chains of the audit log and names what does not fit.",
    operation: "svc_verify_audit_log",
    options: [project],
  },
  {
    path: ["metrics", "query"],
    description:
      "Shows requests, errors, latencies, tokens and cost over a time, of each group; --json has the buckets.",
    operation: "svc_query_metrics",
    options: [
      project,
      { name: "since", kind: "text", description: "From this time on, e.g. 2027-01-31T12:00:00Z.", required: true },
      { name: "until", kind: "text", description: "Before this time.", required: true },
      { name: "bucket", kind: "text", description: "1m, 5m, 15m, 1h, 6h or 1d.", required: true },
      { name: "group-by", kind: "text", description: "project, endpoint, token, provider, model or user." },
      { name: "filters", kind: "json", description: "As JSON: endpoint, token_id, provider, model, user." },
    ],
    table: {
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
  },
  {
    path: ["usage", "get"],
    description: "Shows requests, tokens and cost of each endpoint in a month.",
    operation: "svc_get_usage",
    options: [
      project,
      endpoint,
      { name: "month", kind: "text", description: "YYYY-MM." },
      { name: "group-by", kind: "text", description: "user: --json has what each user has cost." },
    ],
    table: {
      list: "endpoints",
      columns: ["slug", "requests", "prompt_tokens", "completion_tokens", "cost_usd", "endpoint"],
    },
  },
];
