import {
  defineOperation,
  flag,
  id,
  isRowId,
  optional,
  page,
  project,
  record,
  resourceNotFound,
  toPageRequest,
  withDefault,
} from "@gatehouse/admin";
import { getEndpoint } from "../store/endpoints.ts";
import {
  deleteSession,
  getSession,
  listSessions,
  messagesOfSession,
  type SessionFilter,
  type SessionRecord,
} from "../store/session-records.ts";
import { type AdminContext, administerProject, readProject, writeProject, writing } from "./admin-context.ts";
import { endpointUuid, ofEndpoint, requireEndpointUuid } from "./endpoint-operations.ts";

const sessionId = id("The session's id in lists; the client's own is session_uuid.");

/** @throws GatewayError `not_found` for a number that is no id. */
function requireSessionId(given: number): number {
  if (isRowId(given)) return given;
  throw resourceNotFound("Session", given);
}

/** A session lies in its endpoint's project. */
const ofSession = {
  subject: {
    argument: "session_id",
    findProject: async (given: number, { store }: AdminContext) =>
      (await getSession(store, requireSessionId(given))).projectUuid,
  },
} as const;

const list = defineOperation({
  name: "svc_list_sessions",
  description: "Lists the sessions of chats, oldest first, with the number of their messages and never their texts.",
  access: readProject,
  ...ofEndpoint,
  input: record({
    project: optional(project),
    endpoint: optional(endpointUuid),
    token_id: optional(id("Only this access token's.")),
    ...page,
  }),
  async run({ input }, { store }: AdminContext) {
    const { project: projectUuid, endpoint, token_id: tokenId } = input;
    const uuid = endpoint === undefined ? undefined : requireEndpointUuid(endpoint);
    // An unknown endpoint is an error, not an empty list.
    if (uuid !== undefined) await getEndpoint(store, uuid);
    if (tokenId !== undefined && !isRowId(tokenId)) throw resourceNotFound("Token", tokenId);
    const filter: SessionFilter = {
      ...(projectUuid === undefined ? {} : { projectUuid }),
      ...(uuid === undefined ? {} : { endpointUuid: uuid }),
      ...(tokenId === undefined ? {} : { tokenId }),
    };
    const { items, nextCursor } = await listSessions(store, filter, toPageRequest(input));
    return { sessions: items.map(encode), next_cursor: nextCursor ?? null };
  },
});

const get = defineOperation({
  ...ofSession,
  name: "svc_get_session",
  description: "Shows a session of a chat; what was said in it only where include_messages asks for it.",
  access: administerProject,
  input: record({
    session_id: sessionId,
    include_messages: withDefault(flag("Whether the messages' texts are shown."), false),
  }),
  async run({ input }, { store }: AdminContext) {
    const session = await getSession(store, requireSessionId(input.session_id));
    if (!input.include_messages) return encode(session);
    return { ...encode(session), messages: await messagesOfSession(store, session.id) };
  },
});

const remove = defineOperation({
  ...ofSession,
  name: "svc_delete_session",
  description: "Deletes a session with all that was said in it. The client's next call under its id begins a new one.",
  access: writeProject,
  input: record({ session_id: sessionId }),
  async run({ input, origin }, context: AdminContext) {
    const deleted = await deleteSession(writing(context, origin), requireSessionId(input.session_id));
    return { ...encode(deleted), deleted: true };
  },
});

export const sessionOperations = [list, get, remove] as const;

function encode(session: SessionRecord) {
  return {
    id: session.id,
    session_uuid: session.sessionUuid,
    project: session.projectUuid,
    endpoint: session.endpointUuid,
    slug: session.slug,
    token_id: session.tokenId,
    message_count: session.messageCount,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
  };
}
