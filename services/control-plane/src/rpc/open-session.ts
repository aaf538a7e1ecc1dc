import { hashToken, mintSessionId } from "@gatehouse/principal";
import type { OpenSessionRequest, OpenSessionResponse } from "@gatehouse/proto/control-plane";
import { userAgentLengthMax } from "../domain/console-session.ts";
import type { ConsoleSessionStore } from "../store/console-sessions.ts";
import { toSessionMessage } from "./admin-key-message.ts";

/** `OpenSession`: always under a new id, so that an attacker cannot choose it. */
export function createOpenSession(sessions: Pick<ConsoleSessionStore, "open">) {
  return async function openSession(request: OpenSessionRequest): Promise<OpenSessionResponse> {
    const { adminKeyId, keyHash, ipAddress } = request;
    const sessionId = mintSessionId().reveal();
    const userAgent = request.userAgent.slice(0, userAgentLengthMax);
    const wanted = { adminKeyId, keyHash, hash: hashToken(sessionId), userAgent };
    const session = await sessions.open(wanted, ipAddress);
    return session === undefined ? { sessionId: "" } : { session: toSessionMessage(session), sessionId };
  };
}
