import { expect, test } from "vitest";
import { catalogue, type EventDefinition, severities } from "../src/index.ts";

const preface = `# Audit events

An audit event records a change of state or a policy decision. A change is recorded in the transaction that makes it. Events go
to the audit log and to the webhooks that subscribe to their key (ADR 0011). This page is generated from the catalogue in
\`packages/audit/src/catalogue.ts\`, and every recorded event follows it.

Severities, from the least to the most urgent: ${severities.map((severity) => `\`${severity}\``).join(", ")}.

An event has these fields, in the audit log and in the body of a webhook:

| field | meaning |
|---|---|
| \`event\` | The key, one of the [keys](#keys) below. |
| \`severity\` | The severity of the key. |
| \`actor\` | The initiator: \`admin_key:<name>\`, \`token:<name>\`, \`system\` if the gateway acted by itself, or \`unknown\` if the key is not known. |
| \`project\` | \`id\`, \`uuid\` and \`name\` of the project that the event is about, as they were then; \`null\` for events of the whole gateway, in whose webhook bodies it is the project of the receiving webhook. |
| \`target\` | The name of the changed object: a token's name, an endpoint's slug, a provider's name, and so on. Of the guardrail policy of an endpoint, the endpoint's uuid. |
| \`metadata\` | The fields listed with the key. Never a secret, never a text of a call. Lists have at most 1,000 entries, and are shortened if the event would exceed 256 KiB; where a list can be longer, its count is beside it. |
| \`ip_address\` | The caller's address; empty if the gateway acted by itself. |
| \`occurred_at\` | The time by the database's clock: ISO 8601, UTC. A later change of one object has a later time. |

Between services, an event also has an \`id\` and a \`source\`: the service that recorded it and its number among that service's
events, from 1 without gaps. Log entries and webhooks do not contain the numbers; [verification](logs.md#verification) reports
missing ones. Events of versions without numbers have no \`source\`; they are stored too.

These have no event:

- a request that changes nothing, such as revoking a revoked token;
- a refused operation, which a receiver could mistake for a change. The control plane's log has a line with operation, actor,
  address and reason;
- the contents of a deleted project, and the guardrail policy of a deleted endpoint: the deletion is one event.

## Keys
`;

interface FieldSchema {
  readonly description?: string;
  readonly type?: string;
}

function describeType({ type }: FieldSchema): string {
  return type === "array" ? "array of strings" : (type ?? "string");
}

function describeEvent([key, definition]: [string, EventDefinition]): string {
  const { severity, description, about, metadata } = definition;
  const heading = `### \`${key}\`\n\n${description} Severity \`${severity}\`; `;
  const project = about === "project" ? "names its project." : "of the whole gateway: `project` is `null`.";
  const fields = Object.entries(metadata.properties).map(([name, schema]) => {
    const field = schema as FieldSchema;
    const isRequired = (metadata.required ?? []).includes(name);
    return `| \`${name}\` | ${describeType(field)}${isRequired ? "" : ", may be absent"} | ${field.description ?? ""} |`;
  });
  if (fields.length === 0) return `${heading}${project} Its metadata is empty.\n`;
  return `${heading}${project}\n\n| metadata | type | meaning |\n|---|---|---|\n${fields.join("\n")}\n`;
}

test("docs/events.md is generated from the catalogue", async () => {
  const page = `${preface}\n${Object.entries(catalogue).map(describeEvent).join("\n")}`;
  await expect(page).toMatchFileSnapshot("../../../docs/events.md");
});
