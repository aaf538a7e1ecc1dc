import type { OperationCommand } from "../command.ts";
import { endpoint, project, range } from "./shared.ts";

export const logCommands: readonly OperationCommand[] = [
  {
    path: ["log", "list"],
    description: "Lists requests and their outcomes, newest first.",
    operation: "svc_query_gateway_log",
    options: [...range, { name: "status", kind: "text", description: "A status code, or a class such as 4xx." }],
    table: {
      list: "entries",
      columns: ["at", "status", "route", "duration_ms", "provider", "model", "cost_usd", "request_id", "error"],
    },
  },
  {
    path: ["audit", "list"],
    description: "Lists changes, newest first.",
    operation: "svc_query_audit_log",
    options: [...range, { name: "event", kind: "text", description: "Only this event key." }],
    table: { list: "entries", columns: ["at", "event", "severity", "actor", "target", "ip_address"] },
  },
  {
    path: ["audit", "verify"],
    description: "Walks the hash chains of the audit log and names what does not fit.",
    operation: "svc_verify_audit_log",
    options: [project],
  },
  {
    path: ["usage", "get"],
    description: "Shows requests, tokens and cost of each endpoint in a month.",
    operation: "svc_get_usage",
    options: [project, endpoint, { name: "month", kind: "text", description: "YYYY-MM." }],
    table: {
      list: "endpoints",
      columns: ["slug", "requests", "prompt_tokens", "completion_tokens", "cost_usd", "endpoint"],
    },
  },
];
