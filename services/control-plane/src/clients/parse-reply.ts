import type { PageResult } from "@gatehouse/database";
import { GatewayError } from "@gatehouse/errors";

/** The part that a service must have sent. @throws GatewayError `internal` where it did not. */
export function requirePart<T>(part: T | undefined, name: string): T {
  if (part !== undefined) return part;
  throw new GatewayError("internal", "Unexpected error.", { cause: new Error(`A service's reply lacks its ${name}.`) });
}

export function toTimestamp(date: Date | undefined): string | null {
  return date?.toISOString() ?? null;
}

export function toPageResult<T>(items: readonly T[], nextCursor: string): PageResult<T> {
  return nextCursor === "" ? { items } : { items, nextCursor };
}
