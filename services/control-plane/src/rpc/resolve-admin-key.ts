import { isGatewayError } from "@gatehouse/errors";
import type { ResolveAdminKeyRequest, ResolveAdminKeyResponse } from "@gatehouse/proto/control-plane";
import type { Logger } from "@gatehouse/telemetry";
import type { LoginFailures } from "../domain/login-failures.ts";
import { loginFailed } from "../events.ts";
import type { AuditTrail } from "../store/audit-trail.ts";
import type { PrincipalReader } from "../store/principals.ts";
import type { Usage } from "../store/usage.ts";
import { toAdminKeyMessage } from "./admin-key-message.ts";

export interface ResolveAdminKeyOptions {
  readonly principals: PrincipalReader;
  readonly audit: AuditTrail;
  readonly failures: LoginFailures;
  readonly usage: Pick<Usage, "record">;
  readonly now: () => Date;
  readonly log: Logger;
}

/** `ResolveAdminKey`: the key's identity, or nothing; then the attempt is recorded, within the bounds of `LoginFailures`. */
export function createResolveAdminKey(options: ResolveAdminKeyOptions) {
  const { principals, audit, failures, usage, now, log } = options;
  return async function resolveAdminKey(request: ResolveAdminKeyRequest): Promise<ResolveAdminKeyResponse> {
    const { keyHash, ipAddress } = request;
    const at = now();
    const adminKey = await principals.findAdminKey(keyHash, at);
    if (adminKey !== undefined) {
      usage.record(adminKey.id, at);
      return { adminKey: toAdminKeyMessage(adminKey) };
    }
    const decision = failures.note(ipAddress, at.getTime());
    if (!decision.recorded) return {};
    try {
      await audit.record(loginFailed(ipAddress, decision.unrecorded));
    } catch (err) {
      if (!isGatewayError(err)) throw err;
      // The answer is known; a second reason for refusal would help no caller.
      log.warn({ err, ipAddress }, "A failed login could not be recorded.");
    }
    return {};
  };
}
