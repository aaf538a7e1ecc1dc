import type { Static, TObject } from "typebox";
import { accessEvents } from "./access-events.ts";
import { metadataSchemas } from "./event-metadata.ts";

/** Severities of an audit event, from least to most severe. */
export const severities = ["info", "warn", "error", "critical"] as const;
/** Severity of an event, fixed by its key in the catalogue. */
export type Severity = (typeof severities)[number];

/** A row of the catalogue, as shown in docs/events.md. */
export interface EventDefinition {
  readonly severity: Severity;
  readonly description: string;
  /** Whether the event concerns a project, which it names, or the whole gateway. */
  readonly about: "project" | "gateway";
  readonly metadata: TObject;
}

/** All audit events; webhooks subscribe to these keys. */
export const catalogue = {
  "auth.login_failed": {
    severity: "warn",
    description: "An admin key that is not known was tried, or a sign-in with an identity provider was refused.",
    about: "gateway",
    metadata: metadataSchemas.loginFailed,
  },
  "auth.session_started": {
    severity: "info",
    description: "An administrator has signed in at the console.",
    about: "gateway",
    metadata: metadataSchemas.session,
  },
  "auth.session_ended": {
    severity: "info",
    description: "A console session was ended: its administrator has signed out, or another has ended it.",
    about: "gateway",
    metadata: metadataSchemas.session,
  },
  "admin_key.created": {
    severity: "warn",
    description: "An admin key was created.",
    about: "gateway",
    metadata: metadataSchemas.adminKey,
  },
  "admin_key.rotated": {
    severity: "warn",
    description: "An admin key was given a new plaintext; the old one stopped working.",
    about: "gateway",
    metadata: metadataSchemas.adminKey,
  },
  "admin_key.revoked": {
    severity: "warn",
    description: "An admin key was revoked.",
    about: "gateway",
    metadata: metadataSchemas.adminKey,
  },
  "project.created": {
    severity: "info",
    description: "A project was created.",
    about: "project",
    metadata: metadataSchemas.project,
  },
  "project.updated": {
    severity: "info",
    description: "A project's name or limits were changed.",
    about: "project",
    metadata: metadataSchemas.projectUpdated,
  },
  "project.deleted": {
    severity: "warn",
    description: "A project was deleted with everything in it.",
    about: "project",
    metadata: metadataSchemas.project,
  },
  ...accessEvents,
  "provider.created": {
    severity: "info",
    description: "A model provider was added.",
    about: "gateway",
    metadata: metadataSchemas.provider,
  },
  "provider.updated": {
    severity: "info",
    description: "A model provider's address or kind was changed.",
    about: "gateway",
    metadata: metadataSchemas.providerUpdated,
  },
  "provider.enabled": {
    severity: "info",
    description: "A model provider was enabled for the whole gateway.",
    about: "gateway",
    metadata: metadataSchemas.provider,
  },
  "provider.disabled": {
    severity: "warn",
    description: "A model provider was disabled for the whole gateway.",
    about: "gateway",
    metadata: metadataSchemas.provider,
  },
  "provider.deleted": {
    severity: "warn",
    description: "A model provider was deleted with its credentials.",
    about: "gateway",
    metadata: metadataSchemas.provider,
  },
  "provider.target_refused": {
    severity: "warn",
    description:
      "A model provider refuses a target's key or model (401, 403, 404). Published once by each replica, until the target answers.",
    about: "gateway",
    metadata: metadataSchemas.targetRefused,
  },
  "credential.created": {
    severity: "info",
    description: "A provider credential was stored.",
    about: "gateway",
    metadata: metadataSchemas.credential,
  },
  "credential.updated": {
    severity: "info",
    description: "A provider credential's name or key was changed.",
    about: "gateway",
    metadata: metadataSchemas.credentialUpdated,
  },
  "credential.activated": {
    severity: "info",
    description: "A provider credential was activated.",
    about: "gateway",
    metadata: metadataSchemas.credential,
  },
  "credential.deactivated": {
    severity: "warn",
    description: "A provider credential was deactivated.",
    about: "gateway",
    metadata: metadataSchemas.credential,
  },
  "credential.deleted": {
    severity: "warn",
    description: "A provider credential was deleted.",
    about: "gateway",
    metadata: metadataSchemas.credential,
  },
  "endpoint.created": {
    severity: "info",
    description: "An endpoint was created.",
    about: "project",
    metadata: metadataSchemas.endpoint,
  },
  "endpoint.updated": {
    severity: "info",
    description: "An endpoint was changed.",
    about: "project",
    metadata: metadataSchemas.endpointUpdated,
  },
  "endpoint.activated": {
    severity: "info",
    description: "An endpoint was activated.",
    about: "project",
    metadata: metadataSchemas.endpoint,
  },
  "endpoint.deactivated": {
    severity: "warn",
    description: "An endpoint was deactivated; its route answers 404.",
    about: "project",
    metadata: metadataSchemas.endpoint,
  },
  "endpoint.deleted": {
    severity: "warn",
    description: "An endpoint was deleted.",
    about: "project",
    metadata: metadataSchemas.endpoint,
  },
  "session.deleted": {
    severity: "info",
    description: "A chat's session was deleted by an administrator, with what was said in it.",
    about: "project",
    metadata: metadataSchemas.chatSession,
  },
  "guardrail.updated": {
    severity: "info",
    description: "A guardrail policy was set or removed.",
    about: "project",
    metadata: metadataSchemas.guardrailUpdated,
  },
  "guardrail.blocked": {
    severity: "warn",
    description: "A guardrail blocked a call.",
    about: "project",
    metadata: metadataSchemas.guardrailBlocked,
  },
  "budget.threshold_reached": {
    severity: "warn",
    description: "An endpoint's spending has reached a share of its budget.",
    about: "project",
    metadata: metadataSchemas.budgetThreshold,
  },
  "budget.exhausted": {
    severity: "error",
    description: "An endpoint's monthly budget is spent.",
    about: "project",
    metadata: metadataSchemas.budgetExhausted,
  },
  "upstream.created": {
    severity: "info",
    description: "An upstream MCP server was registered.",
    about: "project",
    metadata: metadataSchemas.upstream,
  },
  "upstream.updated": {
    severity: "info",
    description: "An upstream MCP server's settings were changed.",
    about: "project",
    metadata: metadataSchemas.upstreamUpdated,
  },
  "upstream.deleted": {
    severity: "warn",
    description: "An upstream MCP server was removed.",
    about: "project",
    metadata: metadataSchemas.upstream,
  },
  "upstream.tools_changed": {
    severity: "warn",
    description: "The tools of an upstream differ from those approved.",
    about: "project",
    metadata: metadataSchemas.upstreamToolsChanged,
  },
  "oauth_connection.created": {
    severity: "info",
    description: "An OAuth connection was made, with a first access token or without.",
    about: "project",
    metadata: metadataSchemas.connection,
  },
  "oauth_connection.connected": {
    severity: "info",
    description: "An OAuth connection that was made has its first access token.",
    about: "project",
    metadata: metadataSchemas.connection,
  },
  "oauth_connection.updated": {
    severity: "info",
    description: "An OAuth connection's settings or secrets were changed.",
    about: "project",
    metadata: metadataSchemas.connectionUpdated,
  },
  "oauth_connection.disconnected": {
    severity: "warn",
    description: "An OAuth connection was removed.",
    about: "project",
    metadata: metadataSchemas.connection,
  },
  "oauth_connection.refresh_failed": {
    severity: "error",
    description: "An OAuth connection's token was not renewed.",
    about: "project",
    metadata: metadataSchemas.connectionFailed,
  },
  "webhook.created": {
    severity: "info",
    description: "A webhook was created.",
    about: "project",
    metadata: metadataSchemas.webhook,
  },
  "webhook.updated": {
    severity: "info",
    description: "A webhook was changed, activated or deactivated.",
    about: "project",
    metadata: metadataSchemas.webhookUpdated,
  },
  "webhook.deleted": {
    severity: "warn",
    description: "A webhook was deleted.",
    about: "project",
    metadata: metadataSchemas.webhook,
  },
  "webhook.secret_rotated": {
    severity: "warn",
    description: "A webhook's signing secret was rotated.",
    about: "project",
    metadata: metadataSchemas.webhookRotated,
  },
  "webhook.test": {
    severity: "info",
    description: "A test delivery, sent to one webhook on request.",
    about: "project",
    metadata: metadataSchemas.webhookTest,
  },
  "backup.exported": {
    severity: "warn",
    description: "The configuration was exported.",
    about: "gateway",
    metadata: metadataSchemas.backupExported,
  },
} as const satisfies Readonly<Record<string, EventDefinition>>;

/** A key such as `endpoint.created`; the list is closed. */
export type EventKey = keyof typeof catalogue;

/** Metadata that the catalogue requires for an event key; a wrong field does not compile. */
export type EventMetadata<Key extends EventKey> = Static<(typeof catalogue)[Key]["metadata"]>;

/** Whether a text is a key of the catalogue. False for keys of later versions, which a consumer may receive during an update. */
export function isEventKey(text: string): text is EventKey {
  return Object.hasOwn(catalogue, text);
}
