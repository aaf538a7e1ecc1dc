import type { CommandValue, OperationCommand } from "../command.ts";
import { endpoint, page, project } from "./shared.ts";

const sessionId: CommandValue = { name: "session-id", kind: "integer", description: "The session's id in the list." };

export const sessionCommands: readonly OperationCommand[] = [
  {
    path: ["session", "list"],
    description: "Lists the sessions of chats.",
    operation: "svc_list_sessions",
    options: [
      project,
      endpoint,
      { name: "token-id", kind: "integer", description: "Only this access token's." },
      ...page,
    ],
    table: {
      list: "sessions",
      columns: ["id", "session_uuid", "slug", "token_id", "message_count", "last_used_at", "expires_at"],
    },
  },
  {
    path: ["session", "get"],
    description: "Shows a session.",
    operation: "svc_get_session",
    words: [sessionId],
    options: [{ name: "include-messages", kind: "flag", description: "Shows what was said, too." }],
  },
  {
    path: ["session", "delete"],
    description: "Deletes a session with all that was said in it.",
    operation: "svc_delete_session",
    words: [sessionId],
  },
];
