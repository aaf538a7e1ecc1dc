import type { CommandValue, OperationCommand } from "../command.ts";
import { expiresAt, limits, name, page, project, tokenId } from "./shared.ts";

const reach: readonly CommandValue[] = [
  {
    name: "endpoint",
    kind: "names",
    argument: "endpoints",
    description: "A slug that it may reach, or all; repeatable.",
  },
  {
    name: "tool",
    kind: "names",
    argument: "tools",
    description: "MCP tools that it may call, e.g. files__*, or all; repeatable.",
  },
  {
    name: "network",
    kind: "names",
    argument: "networks",
    description: "Where it may be used from, e.g. 10.0.0.0/8, or all; repeatable.",
  },
];

export const tokenCommands: readonly OperationCommand[] = [
  {
    path: ["token", "create"],
    description: "Creates an access token and shows it, this once.",
    operation: "svc_create_token",
    words: [project, name],
    options: [
      {
        name: "scope",
        kind: "texts",
        argument: "scopes",
        description: "chat, mcp, models or proxy; repeatable.",
        required: true,
      },
      { name: "environment", kind: "text", description: "live or test." },
      expiresAt,
      ...limits,
      ...reach,
    ],
  },
  {
    path: ["token", "list"],
    description: "Lists a project's tokens.",
    operation: "svc_list_tokens",
    words: [project],
    options: page,
    table: {
      list: "tokens",
      columns: ["id", "name", "scopes", "environment", "is_active", "last_used_at", "expires_at"],
    },
  },
  {
    path: ["token", "update"],
    description: "Changes a token's name, limits, expiry or reach.",
    operation: "svc_update_token",
    words: [tokenId],
    options: [name, expiresAt, ...limits, ...reach],
  },
  {
    path: ["token", "rotate"],
    description: "Gives a token a new plaintext.",
    operation: "svc_rotate_token",
    words: [tokenId],
  },
  {
    path: ["token", "revoke"],
    description: "Makes a token stop working.",
    operation: "svc_revoke_token",
    words: [tokenId],
  },
  { path: ["token", "delete"], description: "Deletes a token.", operation: "svc_delete_token", words: [tokenId] },
];
