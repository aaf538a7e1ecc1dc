import { type NewAuditEvent, recordEvent } from "@gatehouse/audit";
import { type Database, toDatabaseError } from "@gatehouse/database";

/** Records what happened without changing anything that is stored. */
export interface AuditTrail {
  /** @throws GatewayError `unavailable` while the database is away. */
  record(event: NewAuditEvent): Promise<void>;
}

/** @param onRecorded runs when an event is committed. */
export function createAuditTrail({ pool }: Database, onRecorded: () => void): AuditTrail {
  return {
    async record(event) {
      try {
        await recordEvent({ query: async (sql, values) => await pool.query(sql, [...values]) }, event);
      } catch (err) {
        throw toDatabaseError(err);
      }
      onRecorded();
    },
  };
}
