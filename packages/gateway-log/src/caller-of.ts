import type { Principal } from "@gatehouse/principal";
import type { GatewayLogEntry } from "./gateway-log-entry.ts";

/** The fields of an entry that say who called; an administrator is named in the details. */
export function callerOf(
  principal: Principal | undefined,
): Pick<GatewayLogEntry, "projectUuid" | "tokenId" | "details"> {
  if (principal === undefined) return {};
  if (principal.kind === "admin") return { details: { admin_key: principal.name } };
  return { projectUuid: principal.project.uuid, tokenId: principal.tokenId };
}
