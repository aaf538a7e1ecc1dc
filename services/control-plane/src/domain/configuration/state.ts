import type { JsonObject } from "@gatehouse/json-rpc";

/** An endpoint as it is, with its own policy where it has one. */
export interface EndpointState {
  readonly settings: JsonObject;
  readonly guardrails: JsonObject | undefined;
}

/** An issuer as it is. */
export interface IssuerState {
  readonly settings: JsonObject;
  /** Subjects whose tokens are refused. */
  readonly revokedSubjects: readonly string[];
}

/** A project as it is, in the form of the contract. */
export interface ProjectState {
  readonly settings: JsonObject;
  readonly guardrails: JsonObject | undefined;
  /** Tokens that can still be used. */
  readonly tokens: readonly JsonObject[];
  readonly issuers: readonly IssuerState[];
  readonly oauthConnections: readonly JsonObject[];
  readonly endpoints: readonly EndpointState[];
  readonly upstreams: readonly JsonObject[];
  readonly webhooks: readonly JsonObject[];
}

/** A provider as it exists, settings as its operation shows them. */
export interface ProviderState {
  readonly settings: JsonObject;
  readonly credentials: readonly JsonObject[];
}

/** The present configuration. */
export interface ConfigurationState {
  readonly providers: readonly ProviderState[];
  readonly projects: readonly ProjectState[];
}
