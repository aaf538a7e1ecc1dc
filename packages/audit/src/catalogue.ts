/** From the least to the most urgent. */
export const severities = ["info", "warn", "error", "critical"] as const;
export type Severity = (typeof severities)[number];

export interface EventDefinition {
  readonly severity: Severity;
  readonly description: string;
}

/** Every event of the gateway. Receivers subscribe to these keys. */
export const catalogue = {
  "auth.login_failed": { severity: "warn", description: "An admin key that is not known was tried." },
  "admin_key.created": { severity: "warn", description: "An admin key was created." },
  "admin_key.revoked": { severity: "warn", description: "An admin key was revoked." },
  "project.created": { severity: "info", description: "A project was created." },
  "project.updated": { severity: "info", description: "A project's name or limits were changed." },
  "project.deleted": { severity: "warn", description: "A project was deleted with everything in it." },
  "token.created": { severity: "info", description: "An access token was created." },
  "token.rotated": { severity: "info", description: "An access token got a new plaintext; the old one is invalid." },
  "token.revoked": { severity: "warn", description: "An access token was revoked." },
  "token.deleted": { severity: "warn", description: "An access token was deleted." },
  "provider.created": { severity: "info", description: "A model provider was added." },
  "provider.enabled": { severity: "info", description: "A model provider was enabled for the whole gateway." },
  "provider.disabled": { severity: "warn", description: "A model provider was disabled for the whole gateway." },
  "credential.created": { severity: "info", description: "A provider credential was stored." },
  "credential.activated": { severity: "info", description: "A provider credential was activated." },
  "credential.deactivated": { severity: "warn", description: "A provider credential was deactivated." },
  "credential.deleted": { severity: "warn", description: "A provider credential was deleted." },
  "endpoint.created": { severity: "info", description: "An endpoint was created." },
  "endpoint.updated": { severity: "info", description: "An endpoint was changed." },
  "endpoint.activated": { severity: "info", description: "An endpoint was activated." },
  "endpoint.deactivated": { severity: "warn", description: "An endpoint was deactivated; its route answers 404." },
  "endpoint.deleted": { severity: "warn", description: "An endpoint was deleted." },
  "guardrail.updated": { severity: "info", description: "A guardrail policy was set or removed." },
  "guardrail.blocked": { severity: "warn", description: "A guardrail blocked a call." },
  "budget.threshold_reached": {
    severity: "warn",
    description: "An endpoint's spending has reached a share of its budget.",
  },
  "budget.exhausted": { severity: "error", description: "An endpoint's monthly budget is spent." },
  "upstream.created": { severity: "info", description: "An upstream MCP server was registered." },
  "upstream.updated": { severity: "info", description: "An upstream MCP server's settings were changed." },
  "upstream.deleted": { severity: "warn", description: "An upstream MCP server was removed." },
  "upstream.tools_changed": { severity: "warn", description: "The tools of an upstream differ from those approved." },
  "oauth_connection.connected": { severity: "info", description: "An OAuth connection was made." },
  "oauth_connection.disconnected": { severity: "warn", description: "An OAuth connection was removed." },
  "oauth_connection.refresh_failed": { severity: "error", description: "An OAuth connection's token was not renewed." },
  "webhook.created": { severity: "info", description: "A webhook was created." },
  "webhook.updated": { severity: "info", description: "A webhook was changed, activated or deactivated." },
  "webhook.deleted": { severity: "warn", description: "A webhook was deleted." },
  "webhook.secret_rotated": { severity: "warn", description: "A webhook's signing secret was rotated." },
  "webhook.test": { severity: "info", description: "A test delivery, sent to one webhook on request." },
  "backup.exported": { severity: "warn", description: "The configuration was exported." },
} as const satisfies Readonly<Record<string, EventDefinition>>;

export type EventKey = keyof typeof catalogue;

export function isEventKey(text: string): text is EventKey {
  return Object.hasOwn(catalogue, text);
}
