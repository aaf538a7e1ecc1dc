import type { Access } from "@gatehouse/admin";

export const readProject = { right: "read", scope: "project" } as const satisfies Access;
export const writeProject = { right: "write", scope: "project" } as const satisfies Access;
export const writeGateway = { right: "write", scope: "gateway" } as const satisfies Access;
export const administerGateway = { right: "administer", scope: "gateway" } as const satisfies Access;

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
