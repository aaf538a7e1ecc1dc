import { isGatewayError } from "@gatehouse/errors";
import type { Logger } from "@gatehouse/telemetry";
import { LoginFailures } from "../domain/login-failures.ts";
import { type FailedLogin, loginFailed } from "../events.ts";
import type { AuditTrail } from "../store/control-plane-store.ts";

/** Records a failed login, within the bounds of `LoginFailures`. Does not reject without the database. */
export type RecordFailedLogin = (failed: Omit<FailedLogin, "unrecorded">, at: Date) => Promise<void>;

/** Records refused admin keys: single ones as they occur, many as counts. */
export function createLoginRecord(audit: AuditTrail, log: Logger): RecordFailedLogin {
  const failures = new LoginFailures();
  return async (failed, at) => {
    const decision = failures.record(failed.ipAddress, at.getTime());
    if (!decision.recorded) return;
    try {
      await audit.record(loginFailed({ ...failed, unrecorded: decision.unrecorded }));
    } catch (err) {
      if (!isGatewayError(err)) throw err;
      // Not rethrown: the login is refused anyway.
      log.warn({ err, ip_address: failed.ipAddress }, "A failed login could not be recorded.");
    }
  };
}
