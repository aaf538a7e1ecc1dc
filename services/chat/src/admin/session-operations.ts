import {
  administerProject,
  array,
  boolean,
  defineCollection,
  defineResource,
  id,
  isRowId,
  object,
  optional,
  project,
  readProject,
  reference,
  resourceNotFound,
  rowKey,
  shown,
  string,
  withDefault,
  writeProject,
} from "@gatehouse/admin";
import {
  deleteSession,
  getSession,
  listSessions,
  messagesOfSession,
  type SessionRecord,
} from "../store/session-records.ts";
import { type AdminContext, writing } from "./admin-context.ts";
import { endpointKey, findNamedEndpoint, ofEndpoint } from "./endpoint-operations.ts";

const session = defineResource({
  id: shown(id("The session's id.")),
  session_uuid: shown(reference("The client's own id.")),
  project: shown(reference("The project's uuid."), { column: "projectUuid" }),
  endpoint: shown(reference("The endpoint's uuid."), { column: "endpointUuid" }),
  slug: shown(reference("The endpoint's slug.")),
  token_id: shown(id("The access token's id.")),
  message_count: shown(id("Messages that are kept.")),
  created_at: shown(reference("When it began.")),
  last_used_at: shown(reference("When it was used last.")),
  expires_at: shown(reference("When it is forgotten, if it is not used before.")),
});

/** A session belongs to its endpoint's project. */
const sessions = defineCollection({
  list: "sessions",
  key: rowKey("Session", "session_id", "The session's id in lists; the client's own is session_uuid."),
  findProject: async (asked, { store }: AdminContext) => (await getSession(store, asked)).projectUuid,
  shape: session.shape,
  show: (found: SessionRecord) => session.encode(found),
});

const list = sessions.list({
  name: "svc_list_sessions",
  description: "Lists chat sessions, oldest first, with the number of their messages, without texts.",
  access: readProject,
  ...ofEndpoint,
  input: {
    project: optional(project),
    endpoint: optional(endpointKey.schema),
    token_id: optional(id("Only this access token's.")),
  },
  async find({ input }, page, { store }: AdminContext) {
    const { project: projectUuid, token_id: tokenId } = input;
    const endpointUuid = await findNamedEndpoint(store, input);
    if (tokenId !== undefined && !isRowId(tokenId)) throw resourceNotFound("Token", tokenId);
    return await listSessions(store, { projectUuid, endpointUuid, tokenId }, page);
  },
});

const get = sessions.about({
  name: "svc_get_session",
  description: "Shows a chat session; its messages only with include_messages.",
  access: administerProject,
  input: { include_messages: withDefault(boolean("Whether the messages' texts are shown."), false) },
  output: object({
    ...session.shape.properties,
    messages: optional(array(object({ role: string(), content: string() }))),
  }),
  async run(asked, { input }, { store }: AdminContext) {
    const found = await getSession(store, asked);
    if (!input.include_messages) return session.encode(found);
    return { ...session.encode(found), messages: await messagesOfSession(store, found.id) };
  },
});

const remove = sessions.remove({
  name: "svc_delete_session",
  description: "Deletes a session with its messages. The client's next call with its id starts a new session.",
  access: writeProject,
  run: async (asked, { initiator }, context: AdminContext) => await deleteSession(writing(context, initiator), asked),
});

/** Operations that list, show and delete sessions, which only calls write. Message texts are shown on request alone. */
export const sessionOperations = [list, get, remove] as const;
