import { outboxMigrations } from "@gatehouse/audit";
import { keyringProbeMigration, type SharedMigration } from "@gatehouse/database";
import { answeredCallsMigration } from "./answered-calls.ts";

/**
 * Migrations of the tables that the kernel keeps in a service's schema. The service applies them at its start, and `gatehouse migrate`
 * where the service's role may change no table.
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
