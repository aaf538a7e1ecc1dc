import { type Access, administerGateway } from "@gatehouse/admin";
import { GatewayError } from "@gatehouse/errors";
import type { AdminRole } from "@gatehouse/principal";

const rights = ["read", "write", "administer"] as const satisfies readonly Access["right"][];
const scopes = ["project", "gateway"] as const satisfies readonly Access["scope"][];

/** Parses the right that an owner's operation requires; an unknown one counts as the highest. */
export function parseAccess(right: string, scope: string): Access {
  const known = { right: rights.find((each) => each === right), scope: scopes.find((each) => each === scope) };
  if (known.right === undefined || known.scope === undefined) return administerGateway;
  return { right: known.right, scope: known.scope };
}

/** The highest right and the widest scope of several. */
export function highestAccess(accesses: readonly Access[]): Access {
  const rank = (access: Access) => rights.indexOf(access.right);
  const right = rights[Math.max(...accesses.map(rank))] ?? "administer";
  return { right, scope: accesses.some(({ scope }) => scope === "gateway") ? "gateway" : "project" };
}

/** Role and reach of a caller, which `isAllowed` compares with the access that an operation requires. */
export interface Administrator {
  readonly role: AdminRole;
  /** Uuids of the role's projects; null: the whole gateway. */
  readonly projects: readonly string[] | null;
}

/** The highest right of each role. */
const rightOf: Readonly<Record<AdminRole, Access["right"]>> = { viewer: "read", editor: "write", owner: "administer" };

/** Whether an administrator may call an operation, in their projects where it concerns one. */
export function isAllowed({ role, projects }: Administrator, { right, scope }: Access): boolean {
  return rights.indexOf(right) <= rights.indexOf(rightOf[role]) && (scope === "project" || projects === null);
}

/** `Not allowed: <operation> needs <right>.` */
export function notAllowed(operation: string, access: Access): GatewayError {
  return new GatewayError("not_allowed", `Not allowed: ${operation} needs ${describeRight(access)}.`);
}

/** The least role with the right, and whether it must cover the whole gateway. */
function describeRight({ right, scope }: Access): string {
  const roles = { read: "viewer", write: "editor", administer: "owner" } as const;
  return scope === "gateway" ? `the role ${roles[right]} for the whole gateway` : `the role ${roles[right]}`;
}
