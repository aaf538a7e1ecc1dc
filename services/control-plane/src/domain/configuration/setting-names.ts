import type { ItemKind } from "./planned-change.ts";

/** Operations that create, change and switch an item; their arguments are the item's settings. */
const settingOperations: Readonly<Record<ItemKind, readonly string[]>> = {
  provider: ["svc_create_provider", "svc_update_provider", "svc_set_provider_enabled"],
  credential: ["svc_create_credential", "svc_update_credential", "svc_set_credential_active"],
  project: ["svc_create_project", "svc_update_project"],
  guardrails: ["svc_set_guardrails"],
  token: ["svc_create_token", "svc_update_token"],
  issuer: ["svc_create_issuer", "svc_update_issuer"],
  oauth_connection: ["svc_create_oauth_connection", "svc_update_oauth_connection"],
  endpoint: ["svc_create_endpoint", "svc_update_endpoint", "svc_set_endpoint_active"],
  upstream: ["svc_create_upstream", "svc_update_upstream"],
  webhook: ["svc_create_webhook", "svc_update_webhook", "svc_set_webhook_active"],
};

/** Arguments that identify an item's owner, which a document expresses by nesting. */
const owners: ReadonlySet<string> = new Set(["project", "provider", "endpoint"]);

/** Settings of each kind of item in a document, without its times and state. */
export type SettingNames = ReadonlyMap<ItemKind, ReadonlySet<string>>;

/** Every operation that {@link settingNamesOf} requires. */
export const namingOperations: readonly string[] = Object.values(settingOperations).flat();

/**
 * Derives the settings of every kind of item from its owner's operations: a field that no operation takes is never exported.
 * @param argumentNames of each of the {@link namingOperations}
 */
export function settingNamesOf(argumentNames: ReadonlyMap<string, readonly string[]>): SettingNames {
  const kinds = Object.entries(settingOperations) as [ItemKind, readonly string[]][];
  return new Map(
    kinds.map(([kind, operations]) => {
      const names = operations.flatMap((operation) => argumentNames.get(operation) ?? []);
      return [kind, new Set(names.filter((name) => !owners.has(name)))] as const;
    }),
  );
}
