import { setTimeout as delay } from "node:timers/promises";
import { backoff } from "@gatehouse/async";
import { ConfigError } from "@gatehouse/config";
import { databaseTlsProblem, isDatabaseAway, SharedSessionsError } from "@gatehouse/database";
import type { Logger } from "@gatehouse/telemetry";
import { failureCodeOf, type Part } from "./part.ts";

interface StartPartOptions {
  /**
   * Whether the start may use the service's database. Otherwise no failure counts as one of it: the platform's codes (ENOTFOUND) are
   * the same for an address to listen on.
   */
  readonly usesDatabase: boolean;
  /** Whether to wait for a database that is away, until `stopping`; if not, the first failure is final. */
  readonly isPatient: boolean;
  readonly stopping: AbortSignal;
  readonly log: Logger;
  /** Called with the reason of each failure, for readiness. */
  readonly onWaiting: (reason: string) => void;
}

/**
 * Starts a part, and waits for its database with back-off where patient.
 * @throws ConfigError where Postgres refuses the settings; the part's error otherwise.
 */
export async function startPart(part: Part, options: StartPartOptions): Promise<void> {
  const { usesDatabase, isPatient, stopping, log, onWaiting } = options;
  for (let failures = 1; ; failures += 1) {
    try {
      return await part.start?.();
    } catch (err) {
      if (!usesDatabase) throw err;
      if (!isPatient || stopping.aborted || !isDatabaseAway(err)) throw toSettingError(err);
      if (failures === 1) log.warn({ err, part: part.name }, "The database is not available; the start waits for it.");
      onWaiting(`the database is not available (${describe(err)})`);
      const pauseMs = backoff(failures);
      await delay(pauseMs, undefined, { signal: stopping }).catch(() => {});
    }
  }
}

/** SQLSTATEs of refused settings: invalid authorization (class 28), and a database that does not exist. */
const refusedSettings = /^(28...|3D000)$/;

/** SQLSTATE of a statement that the role may not run: another service's role, or `roles.sql` or `gatehouse migrate` has not been run. */
const insufficientPrivilege = "42501";

function toSettingError(err: unknown): unknown {
  if (err instanceof SharedSessionsError) return new ConfigError([`DATABASE_URL ${err.message}.`]);
  const tlsProblem = databaseTlsProblem(err);
  if (tlsProblem !== undefined) return new ConfigError([`DATABASE_URL ${tlsProblem}.`]);
  const code = failureCodeOf(err);
  if (code === insufficientPrivilege && err instanceof Error) {
    const advice = "use this service's role, whose rights come from roles.sql, and run gatehouse migrate first";
    return new ConfigError([
      `DATABASE_URL names a role without the rights of the service (${err.message}): ${advice}.`,
    ]);
  }
  if (code === undefined || !refusedSettings.test(code)) return err;
  return new ConfigError([`DATABASE_URL is refused by Postgres: ${err instanceof Error ? err.message : code}.`]);
}

function describe(err: unknown): string {
  return failureCodeOf(err) ?? (err instanceof Error ? err.message : "unknown");
}
