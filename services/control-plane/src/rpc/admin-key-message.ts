import type { AdminKey, ConsoleSession as SessionMessage } from "@gatehouse/proto/control-plane";
import type { ResolvedAdminKey } from "../store/administrator.ts";
import type { ConsoleSession } from "../store/console-sessions.ts";

export function toAdminKeyMessage({ id, name, role, projects, expiresAt }: ResolvedAdminKey): AdminKey {
  return {
    id,
    name,
    role,
    projects: projects === null ? undefined : { uuids: [...projects] },
    expiresAt: expiresAt ?? undefined,
  };
}

export function toSessionMessage({ id, administrator, endsAt }: ConsoleSession): SessionMessage {
  return { id, adminKey: toAdminKeyMessage(administrator), expiresAt: endsAt };
}
