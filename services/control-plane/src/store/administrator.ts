import { type AdminRole, isAdminRole } from "@gatehouse/principal";

/** An administrator, as routers know it. */
export interface ResolvedAdminKey {
  readonly id: number;
  readonly name: string;
  readonly role: AdminRole;
  /** Null stands for the whole gateway. */
  readonly projects: readonly string[] | null;
  readonly expiresAt: Date | null;
}

/** Columns of `admin_keys` that say who an administrator is. */
export interface AdministratorRow {
  readonly id: number;
  readonly name: string;
  readonly role: string;
  readonly gatewayWide: boolean;
  readonly projectUuids: readonly string[];
  readonly expiresAt: Date | null;
}

/** @throws Error for a role that this version does not know: nothing is then allowed. */
export function toAdministrator(row: AdministratorRow): ResolvedAdminKey {
  const { id, name, role, gatewayWide, projectUuids, expiresAt } = row;
  if (!isAdminRole(role)) throw new Error(`Admin key ${id} has an unknown role in the database.`);
  return { id, name, role, projects: gatewayWide ? null : projectUuids, expiresAt };
}
