import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";

const workspaceRoot = dirname(dirname(dirname(import.meta.dirname)));

/**
 * Tables that get rows, or changes of rows, with calls, rather than administrative changes. Each key begins with the project, so
 * that a distributed Postgres can spread it, unless a reason is given here; docs/operations.md describes what that would take.
 */
const hotTables: Readonly<Record<string, "project first" | { readonly key: string; readonly because: string }>> = {
  "logbook.metric_minutes": "project first",
  "logbook.metric_hours": "project first",
  "logbook.metric_days": "project first",
  "logbook.metric_users": "project first",
  "mcp_bridge.tool_catalogues": "project first",
  "guardrail.findings": "project first",
  "logbook.gateway_log": { key: "last_at, id", because: "a block has entries of several projects" },
  "logbook.gateway_log_batches": { key: "id", because: "a batch has entries of several projects" },
  "chat.allowance_windows": { key: "subject, window_seconds", because: "subjects are tokens and users, too" },
  "chat.budget_ledgers": { key: "endpoint_uuid, month", because: "present replicas upsert by this very key" },
  "chat.budget_leases": { key: "endpoint_uuid, month, replica_id", because: "it has no column for the project" },
  "chat.usage_records": { key: "call_id", because: "present replicas upsert by this very key" },
  "chat.usage_blocks": { key: "month, id, of_users", because: "a block has rows of several projects" },
  "chat.sessions": { key: "id", because: "it has no column for the project" },
  "chat.session_messages": { key: "id", because: "it has no column for the project" },
  "webhook_dispatcher.events": { key: "id", because: "the event is what is stored once" },
  "webhook_dispatcher.deliveries": { key: "id", because: "it has no column for the project" },
};

/** Tables that change with administration: small, and cached for calls. */
const coldTables: ReadonlySet<string> = new Set([
  "api_proxy.endpoints",
  "api_proxy.oauth_connections",
  "chat.credentials",
  "chat.endpoints",
  "chat.providers",
  "chat.session_placeholders",
  "control_plane.access_tokens",
  "control_plane.admin_keys",
  "control_plane.console_sessions",
  "control_plane.ended_sign_ins",
  "control_plane.issuers",
  "control_plane.projects",
  "guardrail.comparisons",
  "guardrail.external_secrets",
  "guardrail.feedback",
  "guardrail.policies",
  "logbook.audit_gap_search",
  "logbook.audit_heads",
  "logbook.audit_log",
  "logbook.audit_numbers",
  "mcp_aggregator.catalogue_parts",
  "mcp_aggregator.catalogues",
  "mcp_aggregator.tool_pins",
  "mcp_aggregator.upstreams",
  "webhook_dispatcher.projects",
  "webhook_dispatcher.webhooks",
]);

/** Columns of each table's primary key, from the schemas, which `migrations-agree` compares with the migrations. */
function readKeys(): ReadonlyMap<string, readonly string[]> {
  const keys = new Map<string, readonly string[]>();
  for (const path of globSync("services/*/prisma/*.prisma", { cwd: workspaceRoot })) {
    const schema = (path.split("/")[1] ?? "").replaceAll("-", "_");
    const text = readFileSync(join(workspaceRoot, path), "utf8");
    for (const [, body = ""] of text.matchAll(/^model \w+ \{\n(.*?)^\}/gms)) {
      const table = /@@map\("(\w+)"\)/.exec(body)?.[1] ?? "";
      const fields = /@@id\(\[([^\]]+)\]/.exec(body)?.[1]?.split(", ") ?? [/^ +(\w+) .*@id\b/m.exec(body)?.[1] ?? ""];
      keys.set(
        `${schema}.${table}`,
        fields.map((field) => columnOf(body, field)),
      );
    }
  }
  return keys;
}

function columnOf(body: string, field: string): string {
  const line = new RegExp(String.raw`^ +${field} .*$`, "m").exec(body)?.[0] ?? "";
  return /@map\("(\w+)"\)/.exec(line)?.[1] ?? field;
}

const keys = readKeys();
const documented = readFileSync(join(workspaceRoot, "docs", "operations.md"), "utf8");

test("every table is either one that calls write, or one that administrators do", () => {
  expect([...keys.keys()].toSorted()).toEqual([...Object.keys(hotTables), ...coldTables].toSorted());
});

describe.each(Object.entries(hotTables))("%s", (table, rule) => {
  if (rule === "project first") {
    test("has a key that begins with the project", () => {
      expect(keys.get(table)?.[0]).toBe("project_uuid");
    });
  } else {
    test(`has another key, since ${rule.because}, which docs/operations.md says`, () => {
      expect(keys.get(table)?.join(", ")).toBe(rule.key);
      expect(documented).toContain(`\`${table}\``);
    });
  }
});
