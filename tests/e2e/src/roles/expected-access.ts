/** The least role for an operation, and whether it must cover the whole gateway. */
export interface ExpectedAccess {
  readonly role: Role;
  readonly isGatewayWide: boolean;
}

export const roles = ["viewer", "editor", "owner"] as const;
export type Role = (typeof roles)[number];

const gatewayReads = new Set([
  "svc_list_providers",
  "svc_list_credentials",
  "svc_get_provider_health",
  "svc_get_model_price",
  "svc_get_system",
]);
/** Operations that change at most the caller's own sessions, or only try, count or check. */
const furtherReads = new Set([
  "svc_end_console_session",
  "svc_test_guardrails",
  "svc_count_tokens",
  "svc_count_findings",
  "svc_check_sample",
]);

/**
 * The rule of docs/administrators.md, independently of the declarations: administrators, identity of the gateway, providers,
 * credentials and whole configurations need an owner; creating projects needs the whole gateway; everything else belongs to a
 * project.
 */
function expectedAccess(operation: string): ExpectedAccess {
  if (gatewayReads.has(operation)) return { role: "viewer", isGatewayWide: true };
  if (/admin_key|provider|credential|svc_export_backup|svc_apply_config/.test(operation)) {
    return { role: "owner", isGatewayWide: true };
  }
  // Only owners may read texts of chats.
  if (operation === "svc_get_session") return { role: "owner", isGatewayWide: false };
  if (operation === "svc_create_project") return { role: "editor", isGatewayWide: true };
  const isRead = /^svc_(?:list|get|query|verify)_/.test(operation) || furtherReads.has(operation);
  return { role: isRead ? "viewer" : "editor", isGatewayWide: false };
}

/** Whether a role has the access, for the whole gateway or for named projects. */
export function isExpected(operation: string, { role, isNamed }: { readonly role: Role; readonly isNamed: boolean }) {
  const needed = expectedAccess(operation);
  return roles.indexOf(role) >= roles.indexOf(needed.role) && !(needed.isGatewayWide && isNamed);
}
