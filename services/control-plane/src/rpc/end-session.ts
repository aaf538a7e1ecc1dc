import type { EndSessionRequest, EndSessionResponse } from "@gatehouse/proto/control-plane";
import { adminInitiator } from "../domain/console-session.ts";
import type { ConsoleSessionStore } from "../store/console-sessions.ts";

/** `EndSession`: an administrator signs out. */
export function createEndSession(sessions: Pick<ConsoleSessionStore, "end">) {
  return async function endSession({ sessionId, ipAddress }: EndSessionRequest): Promise<EndSessionResponse> {
    const filter = { id: sessionId, adminKeyId: undefined };
    await sessions.end(filter, ({ administrator }) => adminInitiator(administrator.name, ipAddress));
    return {};
  };
}
