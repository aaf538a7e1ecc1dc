import type { ResolveSessionRequest, ResolveSessionResponse } from "@gatehouse/proto/control-plane";
import type { ConsoleSessionStore } from "../store/console-sessions.ts";
import type { Usage } from "../store/usage.ts";
import { toSessionMessage } from "./admin-key-message.ts";

/** `ResolveSession`: the session's administrator with present rights. The use is recorded in the background. */
export function createResolveSession(
  sessions: Pick<ConsoleSessionStore, "find">,
  usage: Pick<Usage, "record">,
  wallNow: () => number,
) {
  return async function resolveSession({ sessionHash }: ResolveSessionRequest): Promise<ResolveSessionResponse> {
    const session = await sessions.find(sessionHash);
    if (session === undefined) return {};
    usage.record(session.id, new Date(wallNow()));
    return { session: toSessionMessage(session) };
  };
}
