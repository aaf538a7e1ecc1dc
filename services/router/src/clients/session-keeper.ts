import type { ConsoleSession } from "@gatehouse/proto/control-plane";
import type { SessionKeeper, ShownSession } from "../domain/session-keeper.ts";
import { type PrincipalsClient, subjectNames } from "./principals.ts";

export interface SessionKeeperOptions {
  readonly client: PrincipalsClient;
  /** Of one question to the control plane, milliseconds. */
  readonly timeoutMs: number;
  /** Forgets what is known under a subject, at once and here. */
  readonly forget: (subject: string) => void;
}

export function createSessionKeeper({ client, timeoutMs, forget }: SessionKeeperOptions): SessionKeeper {
  const within = () => ({ signal: AbortSignal.timeout(timeoutMs) });
  return {
    async open(wish) {
      const { session, sessionId } = await client.openSession(wish, within());
      return session === undefined ? undefined : { session: toShown(session), sessionId };
    },
    async find(sessionHash) {
      const { session } = await client.resolveSession({ sessionHash }, within());
      return session === undefined ? undefined : toShown(session);
    },
    async end(sessionId, ipAddress) {
      await client.endSession({ sessionId, ipAddress }, within());
      forget(subjectNames.session(sessionId));
    },
  };
}

function toShown({ adminKey, expiresAt }: ConsoleSession): ShownSession {
  const { name = "", role = "", projects } = adminKey ?? {};
  return { name, role, projects: projects?.uuids ?? null, expiresAt };
}
