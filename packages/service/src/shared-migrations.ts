import { outboxMigrations } from "@gatehouse/audit";
import { keyringProbeMigration, type SharedMigration } from "@gatehouse/database";
import { answeredCallsMigration } from "./answered-calls.ts";

/**
 * Migrations of the kernel's tables in a service's schema. Applied at the start of the service, or by `gatehouse migrate` where
 * the service's role may not change tables.
 */
export function sharedMigrations(service: {
  readonly hasOutbox: boolean;
  readonly isSealing: boolean;
}): readonly SharedMigration[] {
  return [
    ...(service.hasOutbox ? [...outboxMigrations, answeredCallsMigration] : []),
    ...(service.isSealing ? [keyringProbeMigration] : []),
  ];
}
