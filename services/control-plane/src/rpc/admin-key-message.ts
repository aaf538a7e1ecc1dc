import type { AdminKey, ConsoleSession as SessionMessage } from "@gatehouse/proto/control-plane";
import type { ResolvedAdminKey } from "../store/administrator.ts";
import type { ConsoleSession } from "../store/console-sessions.ts";

/** Administrator as routers receive it. Absent `projects`: the whole gateway; absent `expiresAt`: no expiry. */
export function toAdminKeyMessage({ id, name, role, projects, expiresAt }: ResolvedAdminKey): AdminKey {
  return {
    id,
    name,
    role,
    projects: projects === null ? undefined : { uuids: [...projects] },
    expiresAt: expiresAt ?? undefined,
  };
}

/** Console session as routers receive it. `expiresAt` is its end unless it is used before, not the admin key's expiry. */
export function toSessionMessage({ id, administrator, endsAt }: ConsoleSession): SessionMessage {
  return { id, adminKey: toAdminKeyMessage(administrator), expiresAt: endsAt };
}
