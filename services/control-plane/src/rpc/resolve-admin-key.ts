import type { ResolveAdminKeyRequest, ResolveAdminKeyResponse } from "@gatehouse/proto/control-plane";
import type { FailedLogin } from "../events.ts";
import type { PrincipalReader } from "../store/principals.ts";
import type { Usage } from "../store/usage.ts";
import { toAdminKeyMessage } from "./admin-key-message.ts";

/** `ResolveAdminKey`: the key's administrator; a refused attempt is recorded, within bounds. */
export function createResolveAdminKey(
  principals: PrincipalReader,
  /** Bounded: guessing must not flood the log. */
  recordFailedLogin: (failed: Omit<FailedLogin, "unrecorded">, at: Date) => Promise<void>,
  usage: Pick<Usage, "record">,
  wallNow: () => number,
) {
  return async function resolveAdminKey(request: ResolveAdminKeyRequest): Promise<ResolveAdminKeyResponse> {
    const { keyHash, ipAddress } = request;
    const at = new Date(wallNow());
    const adminKey = await principals.findAdminKey(keyHash, at);
    if (adminKey !== undefined) {
      usage.record(adminKey.id, at);
      return { adminKey: toAdminKeyMessage(adminKey) };
    }
    const reason = "The admin key is unknown or switched off.";
    await recordFailedLogin({ ipAddress, target: "admin_key", reason }, at);
    return {};
  };
}
