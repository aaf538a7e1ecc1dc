import { toDocument } from "../src/domain/configuration/export.ts";
import { settingNamesOf } from "../src/domain/configuration/setting-names.ts";
import type { ConfigurationState } from "../src/domain/configuration/state.ts";

const limits = ["rate_limit_per_minute", "rate_limit_per_hour"];
const policy = ["pii", "prompt_injection", "keywords", "patterns", "rules", "external", "shadow", "surfaces"];

/** Arguments of operations, partly from their owners. */
const argumentsByOperation: Readonly<Record<string, readonly string[]>> = {
  svc_create_provider: ["name", "kind", "base_url"],
  svc_set_provider_enabled: ["provider", "enabled"],
  svc_create_credential: ["provider", "name", "api_key"],
  svc_set_credential_active: ["credential_id", "is_active"],
  svc_create_project: ["name", "project_type", ...limits],
  svc_update_project: ["project", "name", ...limits],
  svc_set_guardrails: ["project", "endpoint", "apply_to_output", "max_content_length", "on_unavailable", ...policy],
  svc_create_token: ["project", "name", "scopes", "environment", "expires_at", "networks", "endpoints", ...limits],
  svc_create_issuer: ["project", "issuer", "audience", "scopes", "scope_claim", "jwks_url", ...limits],
  svc_create_oauth_connection: ["project", "name", "token_url", "client_id", "client_secret", "grant", "scopes"],
  svc_create_endpoint: ["project", "slug", "targets", "description", "upstream_url", "allowed_methods", "auth"],
  svc_set_endpoint_active: ["endpoint", "is_active"],
  svc_create_upstream: ["project", "prefix", "url", "bearer_token"],
  svc_update_upstream: ["upstream_id", "url", "bearer_token", "is_active"],
  svc_create_webhook: ["project", "name", "url", "events"],
  svc_set_webhook_active: ["webhook_id", "is_active"],
};

const settings = settingNamesOf(new Map(Object.entries(argumentsByOperation)));

/** Converts a state to a document by these operations. */
export function exportDocument(state: ConfigurationState) {
  return toDocument(state, settings);
}
