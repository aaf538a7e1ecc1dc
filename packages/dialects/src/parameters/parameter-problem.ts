import type { GatewayError } from "@gatehouse/errors";
import type { JsonObject } from "@gatehouse/json";
import { malformed } from "../chat/chat-request.ts";
import { findProviderWork, toolsName } from "./provider-work.ts";

/**
 * Parameters of aggregating providers that select another model, route, provider, account or address than the endpoint's.
 * Sources: the references of OpenRouter, LiteLLM, Vercel's AI Gateway, Portkey, Azure OpenAI, Groq, Predibase, Not Diamond and
 * Requesty.
 */
const choosingNames = [
  // Models.
  "models", "model_list", "model_id", "model_name", "model_info", "models_preference", "default_model", "engine",
  "fallback", "fallbacks", "fallback_model", "fallback_models", "fallback_config", "context_window_fallbacks",
  "content_policy_fallbacks", "mock_testing_fallbacks", "disable_fallbacks", "max_fallbacks", "compound_custom",
  "adapter_id", "adapter_source", "lora_adapter", "lora_request", "deployment", "deployment_id", "specific_deployment",
  "llm", "checkpoint", "checkpoint_id", "weights", "peft", "model_version", "assistant_id", "agent_id", "agent", "workflow_id",
  // Routes and providers.
  "route", "router", "router_settings", "routing", "routing_strategy", "strategy", "targets", "tags", "provider",
  "providers", "llm_providers", "provider_options", "custom_llm_provider", "preset", "plugins", "transforms", "config",
  "virtual_key", "override_params", "litellm_params", "litellm_metadata", "user_config", "guardrails",
  "proxy_server_request", "mock_response", "preference_id",
  // Addresses, accounts and values forwarded outside of the request.
  "api_base", "base_url", "api_url", "api_key", "api_token", "api_version", "api_type", "organization", "org", "org_id", "project_id",
  "access_token", "auth", "auth_token", "authorization", "secret", "location", "zone", "webhook", "callback",
  "region_name", "aws_access_key_id", "aws_secret_access_key", "aws_session_token", "aws_region_name", "aws_role_name",
  "aws_bedrock_runtime_endpoint", "vertex_project", "vertex_location", "vertex_credentials", "azure_ad_token",
  "data_sources", "headers", "extra_headers", "extra_body", "extra_query", "default_headers", "http_client",
] as const; // prettier-ignore

/** Words that also identify such parameters under future names. No parameter of the gateway's dialects contains one. */
const choosingWords: ReadonlySet<string> = new Set(
  [
    [
      "account",
      "accounts",
      "adapter",
      "adapters",
      "connector",
      "connectors",
      "credential",
      "credentials",
      "deployment",
    ],
    [
      "deployments",
      "engine",
      "engines",
      "endpoint",
      "endpoints",
      "fallback",
      "fallbacks",
      "host",
      "hosts",
      "lora",
      "mcp",
      "model",
      "models",
    ],
    ["provider", "providers", "proxy", "region", "route", "router", "routes", "routing", "server", "servers"],
    ["backend", "backends", "cluster", "clusters", "gateway", "gateways", "vendor", "vendors"],
    ["speculative", "target", "targets", "tenant", "upstream", "uri", "url", "urls", "workspace"],
  ].flat(),
);

const choosing: ReadonlySet<string> = new Set(choosingNames.map(toPlainName));

/** Parameters that the gateway sets itself. */
const managedNames = ["model", "messages", "stream", "stream_options", "input", "variables"] as const;
/** Parameters read by the gateway: in another case, a provider might read them although the gateway does not. */
const readNames = ["tools", "n", "max_tokens", "max_completion_tokens", "encoding_format", "dimensions"] as const;

/** Problem of a caller's parameters at an endpoint. */
interface ParameterProblem {
  readonly name: string;
  readonly kind: "choosing" | "ambiguous" | "foreign";
}

/**
 * First forbidden parameter: one that selects a model, a route or a provider without permission, that differs only in case from
 * one that the gateway or the endpoint sets, or whose name has characters outside of ASCII.
 */
export function findParameterProblem(
  own: JsonObject,
  allowed: readonly string[],
  defaults: JsonObject | null,
): ParameterProblem | undefined {
  const set = new Map([...managedNames, ...readNames, ...Object.keys(defaults ?? {}), "response_format"].map(named));
  for (const name of Object.keys(own)) {
    const setName = set.get(foldCase(name));
    if (setName !== undefined && setName !== name) return { name, kind: "ambiguous" };
    if (allowed.includes(name)) continue;
    if (chooses(name)) return { name, kind: "choosing" };
    if (!isPlain(name)) return { name, kind: "foreign" };
  }
  if (findProviderWork(own)?.chooses === true && !allowed.includes(toolsName))
    return { name: toolsName, kind: "choosing" };
  return undefined;
}

/** Most characters of a parameter's name in a message. */
const shownLengthMax = 64;

/** Error of a request with such a parameter (400). */
export function refuseParameter({ name, kind }: ParameterProblem): GatewayError {
  const shown = JSON.stringify(name.slice(0, shownLengthMax));
  if (kind === "ambiguous") {
    return malformed(
      `Parameter ${shown} differs only in case from a parameter that the gateway sets. Write it exactly like that parameter, or leave it out.`,
    );
  }
  if (kind === "foreign") {
    return malformed(
      `Parameter ${shown} has a name with characters other than printable ASCII, which no provider accepts. Leave it out.`,
    );
  }
  if (name === toolsName) {
    return malformed(
      "A tool of this request names a server that the provider is to call, which this endpoint does not allow. Leave it out, or " +
        `ask the operator to name '${toolsName}' in the endpoint's allowed_parameters.`,
    );
  }
  return malformed(
    `Parameter ${shown} chooses a model, a route or a provider, which this endpoint does not allow. Leave it out, or ask the ` +
      "operator to name it in the endpoint's allowed_parameters.",
  );
}

/** Whether a name is plain ASCII: no dialect has others, and disguised names (small capitals, dots and blanks inside words) are not. */
function isPlain(name: string): boolean {
  return /^[\x21-\x7e]+$/.test(name);
}

function chooses(name: string): boolean {
  if (choosing.has(toPlainName(name))) return true;
  if (managed.has(name)) return false;
  return name
    .replaceAll(camelCase, "$1_$2")
    .split(/[^\p{L}]+/u)
    .some((word) => choosingWords.has(foldCase(word)));
}

const managed: ReadonlySet<string> = new Set(managedNames);
const camelCase = /(\p{Ll})(\p{Lu})/gu;

function named(name: string): readonly [string, string] {
  return [foldCase(name), name];
}

/** Upper case first: it joins letters that lower case keeps distinct, such as the long s and s. */
function foldCase(name: string): string {
  return name.toUpperCase().toLowerCase();
}

/** `providerOptions`, `provider-options` and `provider_options` are one name to some providers. */
function toPlainName(name: string): string {
  return foldCase(name).replaceAll(/[_-]/g, "");
}
