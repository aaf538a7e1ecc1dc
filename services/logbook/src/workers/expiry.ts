import { Repetition } from "@gatehouse/async";
import type { Database } from "@gatehouse/database";
import type { Logger } from "@gatehouse/telemetry";
import { deleteExpired } from "../store/clean-up.ts";

const intervalMs = 300_000;

/** Deletes expired rows in the background; no start waits for them. @param wallNow milliseconds since 1970 */
export function createExpiry(database: Database, log: Logger, wallNow: () => number): Repetition {
  return new Repetition({
    intervalMs,
    work: async (stopping) => await deleteExpired(database, wallNow(), stopping),
    onFailure: (err) => log.warn({ err }, "Expired counts of the gateway log could not be deleted; trying again."),
  });
}
