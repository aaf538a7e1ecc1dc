import type { AdminKey, ConsoleSession as SessionMessage } from "@gatehouse/proto/control-plane";
import type { ResolvedAdminKey } from "../store/administrator.ts";
import type { ConsoleSession } from "../store/console-sessions.ts";

/** An administrator, for routers. */
export function toAdminKeyMessage({ id, name, role, projects, expiresAt }: ResolvedAdminKey): AdminKey {
  return {
    id,
    name,
    role,
    projects: projects === null ? undefined : { uuids: [...projects] },
    expiresAt: expiresAt ?? undefined,
  };
}

/** A console session for the router. */
export function toSessionMessage({ id, administrator, endsAt }: ConsoleSession): SessionMessage {
  return { id, adminKey: toAdminKeyMessage(administrator), expiresAt: endsAt };
}
