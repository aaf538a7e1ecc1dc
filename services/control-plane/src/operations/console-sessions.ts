import { GatewayError } from "@gatehouse/errors";
import type { JsonObject } from "@gatehouse/json-rpc";
import { administerGateway, isAllowed, readProject } from "../domain/access.ts";
import { idReference, optional } from "../domain/arguments.ts";
import { isRowId } from "../domain/row-id.ts";
import type { ConsoleSession } from "../store/console-sessions.ts";
import type { Caller } from "./caller.ts";
import { encodePage } from "./encoding.ts";
import { defineOperation } from "./operation.ts";
import { page, toPageRequest } from "./shared-arguments.ts";

export const listConsoleSessions = defineOperation({
  name: "svc_list_console_sessions",
  description:
    "Lists who is signed in at the console: an owner of the whole gateway sees everybody, others their own sessions.",
  access: readProject,
  keepsToCaller: true,
  arguments: page,
  run: async (args, { sessions, caller }) =>
    encodePage("console_sessions", await sessions.list(toPageRequest(args), ownKey(caller)), encodeSession),
});

export const endConsoleSession = defineOperation({
  name: "svc_end_console_session",
  description:
    "Ends a console session, or all of an admin key's. An owner of the whole gateway may end anybody's, others their own. The reply " +
    "holds what was ended.",
  access: readProject,
  keepsToCaller: true,
  arguments: {
    session_id: optional(idReference("The session's id.")),
    admin_key_id: optional(idReference("The admin key whose sessions are ended, all of them.")),
  },
  async run({ session_id: id, admin_key_id: adminKeyId }, { sessions, caller }) {
    if (id === undefined && adminKeyId === undefined) {
      throw new GatewayError("invalid_argument", "Missing required argument: session_id or admin_key_id");
    }
    if (id !== undefined && !isRowId(id)) throw sessionNotFound(id);
    if (adminKeyId !== undefined && !isRowId(adminKeyId)) return { console_sessions: [] };
    const adminKeyIds = [adminKeyId, ownKey(caller)].filter((each) => each !== undefined);
    const filter = { ...(id === undefined ? {} : { id }), adminKeyIds };
    const ended = await sessions.end(filter, () => caller.originFor(null));
    if (id !== undefined && ended.length === 0) throw sessionNotFound(id);
    return { console_sessions: ended.map(encodeSession) };
  },
});

/** The key whose sessions a caller is limited to; undefined for one who may see all. */
function ownKey({ administrator, adminKeyId }: Caller): number | undefined {
  return isAllowed(administrator, administerGateway) ? undefined : adminKeyId;
}

function sessionNotFound(id: number): GatewayError {
  return new GatewayError("not_found", `Console session not found: ${id}`);
}

function encodeSession(session: ConsoleSession): JsonObject {
  return {
    id: session.id,
    admin_key_id: session.administrator.id,
    name: session.administrator.name,
    role: session.administrator.role,
    ip_address: session.ipAddress,
    user_agent: session.userAgent,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    expires_at: session.endsAt.toISOString(),
  };
}
