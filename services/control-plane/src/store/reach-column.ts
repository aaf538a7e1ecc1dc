import { isWholeReach, type TokenReach, wholeReach } from "@gatehouse/principal";
import { Prisma } from "../generated/prisma/client.ts";

/** A reach in its stored form: null where unrestricted, else only the lists that restrict. */
export function toReachColumn(reach: TokenReach): Prisma.InputJsonObject | typeof Prisma.DbNull {
  if (isWholeReach(reach)) return Prisma.DbNull;
  const lists = Object.entries(reach).filter(([, names]) => names !== null);
  return Object.fromEntries(lists.map(([name, names]) => [name, [...(names ?? [])]]));
}

/** Reads the column. A malformed list counts as empty, so that a damaged row grants nothing. */
export function fromReachColumn(value: unknown): TokenReach {
  if (value === null || value === undefined) return wholeReach;
  const lists = value as { readonly [Name in keyof TokenReach]?: unknown };
  return { endpoints: toNames(lists.endpoints), tools: toNames(lists.tools), networks: toNames(lists.networks) };
}

function toNames(value: unknown): readonly string[] | null {
  if (value === undefined || value === null) return null;
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}
