import type { ConsoleSession } from "@gatehouse/proto/control-plane";
import type { SessionKeeper, ShownSession, SignInService } from "../domain/session-keeper.ts";
import { type PrincipalsClient, subjectNames } from "./principals.ts";

/** Opens, finds and ends console sessions at the control plane. */
export function createSessionKeeper(
  client: PrincipalsClient,
  /** Bound of one question to the control plane. */
  timeoutMs: number,
  /** Forgets what is known under a subject, at once and here. */
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

/** Bound of each step of a sign-in: a provider may take some seconds for each of the questions that the control plane has. */
const signInTimeoutMs = 30_000;

/** Signs people in at the control plane, by OpenID Connect. */
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
