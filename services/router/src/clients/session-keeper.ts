import type { ConsoleSession } from "@gatehouse/proto/control-plane";
import type { SessionKeeper, ShownSession, SignInService } from "../domain/session-keeper.ts";
import { type PrincipalsClient, subjectNames } from "./principals.ts";

/** Console sessions at the control plane. Each call ends within `timeoutMs`, with an error where the answer is late. */
export function createSessionKeeper(
  client: PrincipalsClient,
  timeoutMs: number,
  /** Removes a subject from this router's caches at once. */
  forget: (subject: string) => void,
): SessionKeeper {
  const within = () => ({ signal: AbortSignal.timeout(timeoutMs) });
  return {
    async open(request) {
      const { session, sessionId } = await client.openSession(request, within());
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

/** Bound of each step of a sign-in: the control plane asks the provider several times, and each may take seconds. */
const signInTimeoutMs = 30_000;

/** Signs people in by OpenID Connect at the control plane. */
export function createSignInService(client: PrincipalsClient, timeoutMs: number): SignInService {
  const within = (boundMs: number) => ({ signal: AbortSignal.timeout(boundMs) });
  return {
    async list() {
      return (await client.listSignInProviders({}, within(timeoutMs))).providers;
    },
    async start(providerId) {
      const { authorizationUrl, attempt, refusal } = await client.startSignIn({ providerId }, within(signInTimeoutMs));
      return authorizationUrl === "" ? { refusal } : { url: authorizationUrl, attempt };
    },
    async finish(request) {
      const { session, sessionId, refusal } = await client.finishSignIn(request, within(signInTimeoutMs));
      return session === undefined ? { refusal } : { session: toShown(session), sessionId };
    },
  };
}

function toShown({ id, adminKey, expiresAt }: ConsoleSession): ShownSession {
  const { id: adminKeyId = 0, name = "", role = "", projects } = adminKey ?? {};
  return { id, adminKeyId, name, role, projects: projects?.uuids ?? null, expiresAt };
}
