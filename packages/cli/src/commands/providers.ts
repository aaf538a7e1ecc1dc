import type { OperationCommand } from "../command.ts";
import { credentialId, name, page, provider } from "./shared.ts";

export const providerCommands: readonly OperationCommand[] = [
  {
    path: ["provider", "create"],
    description: "Registers a model provider.",
    operation: "svc_create_provider",
    words: [name],
    options: [
      { name: "kind", kind: "text", description: "openai, anthropic, google, mock, …", required: true },
      { name: "base-url", kind: "text", description: "Where it answers, if not at its usual place." },
    ],
  },
  {
    path: ["provider", "list"],
    description: "Lists providers.",
    operation: "svc_list_providers",
    options: page,
    table: { list: "providers", columns: ["id", "name", "kind", "base_url", "enabled"] },
  },
  {
    path: ["provider", "update"],
    description: "Changes where a provider answers, or its kind.",
    operation: "svc_update_provider",
    words: [provider],
    options: [
      { name: "kind", kind: "text", description: "openai, anthropic, google, mock, …" },
      { name: "base-url", kind: "text", description: "Where it answers." },
    ],
  },
  {
    path: ["provider", "enable"],
    description: "Lets calls go to a provider again.",
    operation: "svc_set_provider_enabled",
    words: [provider],
    fixed: { enabled: true },
  },
  {
    path: ["provider", "disable"],
    description: "Skips a provider in the whole gateway.",
    operation: "svc_set_provider_enabled",
    words: [provider],
    fixed: { enabled: false },
  },
  {
    path: ["provider", "delete"],
    description: "Deletes a provider that no endpoint names, with its credentials.",
    operation: "svc_delete_provider",
    words: [provider],
  },
  {
    path: ["provider", "health"],
    description: "Shows what calls have shown of each provider.",
    operation: "svc_get_provider_health",
    table: { list: "providers", columns: ["provider", "enabled", "state", "consecutive_failures", "last_failure"] },
  },
  {
    path: ["credential", "create"],
    description: "Stores a provider's key, sealed.",
    operation: "svc_create_credential",
    words: [provider, name],
    options: [
      {
        name: "api-key-from",
        kind: "secret",
        argument: "api_key",
        description: "Where the key is: env:NAME, file:PATH or -.",
        required: true,
      },
    ],
  },
  {
    path: ["credential", "list"],
    description: "Lists credentials.",
    operation: "svc_list_credentials",
    options: [provider, ...page],
    table: { list: "credentials", columns: ["id", "provider", "name", "is_active", "hint"] },
  },
  {
    path: ["credential", "update"],
    description: "Replaces a credential's key in place, or changes its name.",
    operation: "svc_update_credential",
    words: [credentialId],
    options: [
      name,
      {
        name: "api-key-from",
        kind: "secret",
        argument: "api_key",
        description: "Where the new key is: env:NAME, file:PATH or -.",
      },
    ],
  },
  {
    path: ["credential", "activate"],
    description: "Lets calls use a credential.",
    operation: "svc_set_credential_active",
    words: [credentialId],
    fixed: { is_active: true },
  },
  {
    path: ["credential", "deactivate"],
    description: "Stops calls from using a credential.",
    operation: "svc_set_credential_active",
    words: [credentialId],
    fixed: { is_active: false },
  },
  {
    path: ["credential", "delete"],
    description: "Deletes a credential.",
    operation: "svc_delete_credential",
    words: [credentialId],
  },
];
