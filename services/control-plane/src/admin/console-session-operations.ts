import {
  atLeastOneOf,
  administerGateway,
  array,
  defineCollection,
  defineOperation,
  defineResource,
  id,
  isRowId,
  nullable,
  object,
  optional,
  readProject,
  reference,
  resourceNotFound,
  rowKey,
  shown,
} from "@gatehouse/admin";
import { isAllowed } from "../domain/access.ts";
import { adminKeyNotFound } from "../domain/admin-key.ts";
import { createdAt, lastUsedAt } from "../domain/shared-fields.ts";
import type { ConsoleSession } from "../store/console-sessions.ts";
import type { AdminContext } from "./admin-context.ts";
import { keepingToCaller } from "./own-operation.ts";

const ofKey = <Name extends keyof ConsoleSession["administrator"]>(member: Name) => ({
  show: ({ administrator }: ConsoleSession) => administrator[member],
});

const session = defineResource({
  id: shown(id("The session's id.")),
  admin_key_id: shown(id("The admin key that was signed in with."), ofKey("id")),
  name: shown(reference("The key's name."), ofKey("name")),
  role: shown(reference("The key's role."), ofKey("role")),
  ip_address: shown(reference("Address of the browser that opened it.")),
  user_agent: shown(nullable(reference("The browser."))),
  created_at: createdAt,
  last_used_at: lastUsedAt,
  expires_at: shown(reference("When it ends."), { column: "endsAt" }),
});

const sessions = defineCollection({
  list: "console_sessions",
  key: rowKey("Console session", "session_id", "The session's id."),
  shape: session.shape,
  show: (row: ConsoleSession, _context: AdminContext) => session.encode(row),
});

const list = sessions.list({
  name: "svc_list_console_sessions",
  description: "Lists the sessions at the console: an owner of the whole gateway sees all, others only their own.",
  access: readProject,
  find: async (_call, page, context: AdminContext) => await context.sessions.list(page, ownKey(context)),
});

const end = defineOperation({
  name: "svc_end_console_session",
  description:
    "Ends a console session, or all sessions of an admin key. An owner of the whole gateway may end any session, others only " +
    "their own. Returns the ended sessions.",
  access: readProject,
  input: atLeastOneOf(
    object({
      session_id: optional(id("The session's id. Send this or admin_key_id.")),
      admin_key_id: optional(id("The admin key, to end all its sessions.")),
    }),
    "session_id",
    "admin_key_id",
  ),
  output: object({ console_sessions: array(session.shape) }),
  async run({ input, initiator }, context: AdminContext) {
    const { session_id: sessionId, admin_key_id: adminKeyId } = input;
    if (sessionId !== undefined && !isRowId(sessionId)) throw resourceNotFound("Console session", sessionId);
    const own = ownKey(context);
    // Another administrator's key gets the answer for an unknown one.
    if (adminKeyId !== undefined && (!isRowId(adminKeyId) || adminKeyId !== (own ?? adminKeyId))) {
      throw adminKeyNotFound(adminKeyId);
    }
    const ended = await context.sessions.end({ id: sessionId, adminKeyId: adminKeyId ?? own }, () => initiator);
    if (sessionId !== undefined && ended.length === 0) throw resourceNotFound("Console session", sessionId);
    return { console_sessions: ended.map(session.encode) };
  },
});

/** Administrators of named projects reach only the sessions of one key, theirs. */
export const consoleSessionOperations = [keepingToCaller(list), keepingToCaller(end)] as const;

/** The only key whose sessions the caller may see; undefined: all. */
function ownKey({ caller: { administrator, adminKeyId } }: AdminContext): number | undefined {
  return isAllowed(administrator, administerGateway) ? undefined : adminKeyId;
}
