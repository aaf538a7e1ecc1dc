import { isAdminRole } from "@gatehouse/principal";
import type { AdminKey, AdminKeySettings } from "../domain/admin-key.ts";
import type { AdminKey as Row } from "../generated/prisma/client.ts";

/** An administrator, as routers receive it. */
export type ResolvedAdminKey = Pick<AdminKey, "id" | keyof AdminKeySettings>;

/** Columns of `admin_keys` for an administrator's identity and rights. */
export type AdministratorRow = Pick<Row, "id" | "name" | "role" | "gatewayWide" | "projectUuids" | "expiresAt">;

/** @throws Error for a role that this version does not know: nothing is then allowed */
export function toAdministrator(row: AdministratorRow): ResolvedAdminKey {
  const { id, name, role, gatewayWide, projectUuids, expiresAt } = row;
  if (!isAdminRole(role)) throw new Error(`Admin key ${id} has an unknown role in the database.`);
  return { id, name, role, projects: gatewayWide ? null : projectUuids, expiresAt };
}
