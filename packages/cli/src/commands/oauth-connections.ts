import type { CommandValue, OperationCommand } from "../command.ts";
import { name, page, project } from "./shared.ts";

const connectionId: CommandValue = { name: "connection-id", kind: "integer", description: "The connection's id." };

export const oauthCommands: readonly OperationCommand[] = [
  {
    path: ["oauth-connection", "create"],
    description: "Makes an OAuth connection and fetches a first access token.",
    operation: "svc_create_oauth_connection",
    words: [project, name],
    options: [
      { name: "token-url", kind: "text", description: "Where tokens are fetched.", required: true },
      { name: "client-id", kind: "text", description: "Who asks.", required: true },
      {
        name: "client-secret-from",
        kind: "secret",
        argument: "client_secret",
        description: "env:NAME, file:PATH or -.",
        required: true,
      },
      { name: "grant", kind: "text", description: "client_credentials or refresh_token.", required: true },
      {
        name: "refresh-token-from",
        kind: "secret",
        argument: "refresh_token",
        description: "env:NAME, file:PATH or -.",
      },
      { name: "scope", kind: "texts", argument: "scopes", description: "Asked for; repeatable." },
    ],
  },
  {
    path: ["oauth-connection", "list"],
    description: "Lists a project's OAuth connections.",
    operation: "svc_list_oauth_connections",
    words: [project],
    options: page,
    table: { list: "oauth_connections", columns: ["id", "name", "token_url", "grant", "status", "expires_at"] },
  },
  {
    path: ["oauth-connection", "update"],
    description: "Changes an OAuth connection; what is not named stays.",
    operation: "svc_update_oauth_connection",
    words: [connectionId],
    options: [
      name,
      { name: "token-url", kind: "text", description: "Where tokens are fetched." },
      { name: "client-id", kind: "text", description: "Who asks." },
      {
        name: "client-secret-from",
        kind: "secret",
        argument: "client_secret",
        description: "env:NAME, file:PATH or -.",
      },
      {
        name: "refresh-token-from",
        kind: "secret",
        argument: "refresh_token",
        description: "env:NAME, file:PATH or -.",
      },
      { name: "scope", kind: "texts", argument: "scopes", description: "Asked for; repeatable." },
    ],
  },
  {
    path: ["oauth-connection", "delete"],
    description: "Removes an OAuth connection.",
    operation: "svc_delete_oauth_connection",
    words: [connectionId],
  },
];
