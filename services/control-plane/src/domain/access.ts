import { type Access, administerGateway } from "@gatehouse/admin";
import { GatewayError } from "@gatehouse/errors";
import type { AdminRole } from "@gatehouse/principal";

const rights = ["read", "write", "administer"] as const satisfies readonly Access["right"][];
const scopes = ["project", "gateway"] as const satisfies readonly Access["scope"][];

/** The right that an owner says an operation of it needs; the highest one where this version does not know the words. */
export function parseAccess(right: string, scope: string): Access {
  const known = { right: rights.find((each) => each === right), scope: scopes.find((each) => each === scope) };
  if (known.right === undefined || known.scope === undefined) return administerGateway;
  return { right: known.right, scope: known.scope };
}

/** The right that covers all of several; the wider scope with it. */
export function highestAccess(accesses: readonly Access[]): Access {
  const rank = (access: Access) => rights.indexOf(access.right);
  const right = rights[Math.max(...accesses.map(rank))] ?? "administer";
  return { right, scope: accesses.some(({ scope }) => scope === "gateway") ? "gateway" : "project" };
}

/** An administrator's role and its projects. */
export interface Administrator {
  readonly role: AdminRole;
  /** Uuids of the projects that the role is for; null stands for the whole gateway. */
  readonly projects: readonly string[] | null;
}

/** The highest right of each role. */
const rightOf: Readonly<Record<AdminRole, Access["right"]>> = { viewer: "read", editor: "write", owner: "administer" };

/** Whether an operation is an administrator's, for projects of theirs where it is about one. */
export function isAllowed({ role, projects }: Administrator, { right, scope }: Access): boolean {
  return rights.indexOf(right) <= rights.indexOf(rightOf[role]) && (scope === "project" || projects === null);
}

/** `Not allowed: <operation> needs <right>.` */
export function notAllowed(operation: string, access: Access): GatewayError {
  return new GatewayError("not_allowed", `Not allowed: ${operation} needs ${describeRight(access)}.`);
}

/** The least role that has the right, and whether it has to be for the whole gateway. */
function describeRight({ right, scope }: Access): string {
  const roles = { read: "viewer", write: "editor", administer: "owner" } as const;
  return scope === "gateway" ? `the role ${roles[right]} for the whole gateway` : `the role ${roles[right]}`;
}
