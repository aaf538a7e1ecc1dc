import { expect, test } from "vitest";
import { catalogue, type EventDefinition, severities } from "../src/index.ts";

const preface = `# Audit events

Every change of state is recorded, in the transaction that makes it, and goes to the audit log and to the webhooks that
subscribe to its key (ADR 0011). The catalogue in \`packages/audit/src/catalogue.ts\` writes this page, and no event
is recorded that is not as it says.

Severities, from the least to the most urgent: ${severities.map((severity) => `\`${severity}\``).join(", ")}.

An event has these fields, in the audit log and in the body of a webhook:

| field | meaning |
|---|---|
| \`event\` | The key: one of those below. |
| \`severity\` | As below. |
| \`actor\` | Who asked: \`admin_key:<name>\`, \`token:<name>\`, or \`system\` where the gateway acted by itself, \`unknown\` for somebody whose key is not known. |
| \`project\` | \`id\`, \`uuid\` and \`name\` of the project that the event is about, as they were then; \`null\` for events of the whole gateway. |
| \`target\` | The name of what was changed: a token's name, an endpoint's slug, a provider's name, and so on. |
| \`metadata\` | As below. Never a secret, never a text of a call. Lists are shortened where an event would be larger than 256 KiB. |
| \`ip_address\` | The caller's address; empty where the gateway acted by itself. |
| \`occurred_at\` | ISO 8601, UTC, by the database's clock. |

On its way an event also has an \`id\` and, since numbers are given, a \`source\`: the service that recorded it and its number among
that service's events, from 1 without gaps. Numbers are neither in the log's entries nor in webhooks; [verification](logs.md#verification)
names those that did not come. An event that a version without numbers has published has no \`source\`, and is stored all the same.

What was asked for and changed nothing, such as revoking a revoked token, has no event. Neither has what was refused, for a
receiver would take it for a change: the control plane's log has a line with operation, actor, address and reason. Deleting a
project deletes what is in it, and is one event; so is deleting an endpoint with its guardrail policy.

## Keys
`;

/** The part of a JSON schema that metadata uses. */
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

test("docs/events.md is what the catalogue says", async () => {
  const page = `${preface}\n${Object.entries(catalogue).map(describeEvent).join("\n")}`;
  await expect(page).toMatchFileSnapshot("../../../docs/events.md");
});
