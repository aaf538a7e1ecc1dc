import type { CommandValue, OperationCommand } from "../command.ts";
import { expiresAt, name, page } from "./shared.ts";

const adminKeyId: CommandValue = { name: "admin-key-id", kind: "integer", description: "The admin key's id." };

export const adminKeyCommands: readonly OperationCommand[] = [
  {
    path: ["admin-key", "create"],
    description: "Creates an administrator's key and shows it, this once.",
    operation: "svc_create_admin_key",
    words: [name],
    options: [
      { name: "role", kind: "text", description: "owner, editor or viewer.", required: true },
      {
        name: "project",
        kind: "projects",
        argument: "projects",
        description: "A project that it is for, by uuid or name; repeatable; absent: the whole gateway.",
      },
      expiresAt,
    ],
  },
  {
    path: ["admin-key", "list"],
    description: "Lists admin keys.",
    operation: "svc_list_admin_keys",
    options: page,
    table: {
      list: "admin_keys",
      columns: ["id", "name", "role", "projects", "source", "is_active", "last_used_at", "expires_at"],
    },
  },
  {
    path: ["admin-key", "rotate"],
    description: "Gives an admin key a new plaintext; the old one stops working.",
    operation: "svc_rotate_admin_key",
    words: [adminKeyId],
  },
  {
    path: ["admin-key", "revoke"],
    description: "Makes an admin key stop working, and ends its console sessions.",
    operation: "svc_revoke_admin_key",
    words: [adminKeyId],
  },
];
