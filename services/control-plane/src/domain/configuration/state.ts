import type { JsonObject } from "@gatehouse/json-rpc";

/** An existing endpoint, with its own policy if it has one. */
export interface EndpointState {
  readonly settings: JsonObject;
  readonly guardrails: JsonObject | undefined;
}

/** Existing issuer, its settings as its operation shows them. */
export interface IssuerState {
  readonly settings: JsonObject;
  /** Revoked subjects. */
  readonly revokedSubjects: readonly string[];
}

/** An existing project, in the contract's format. */
export interface ProjectState {
  readonly settings: JsonObject;
  readonly guardrails: JsonObject | undefined;
  /** Tokens that are still valid. */
  readonly tokens: readonly JsonObject[];
  readonly issuers: readonly IssuerState[];
  readonly oauthConnections: readonly JsonObject[];
  readonly endpoints: readonly EndpointState[];
  readonly upstreams: readonly JsonObject[];
  readonly webhooks: readonly JsonObject[];
}

/** An existing provider, as its operation shows it. */
export interface ProviderState {
  readonly settings: JsonObject;
  readonly credentials: readonly JsonObject[];
}

/** Present configuration, read through the operations. Plans compare a document with it; the export writes it as a document. */
export interface ConfigurationState {
  readonly providers: readonly ProviderState[];
  readonly projects: readonly ProjectState[];
}
