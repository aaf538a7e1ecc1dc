import { queryOptions } from "@tanstack/react-query";
import { CallError } from "./call-error.ts";
import { tellTabs } from "./session-news.ts";

/** Who is signed in; the cookie that stands for it is out of reach of scripts. */
export interface Session {
  /** As `svc_list_console_sessions` has them. */
  readonly session_id: number;
  /** The person: the same after each sign-in, also with an identity provider. */
  readonly admin_key_id: number;
  readonly name: string;
  readonly role: string;
  /** Uuids of the projects that the person is confined to; null for all. */
  readonly projects: readonly string[] | null;
  readonly csrf_token: string;
  /** Null where only idleness ends it. */
  readonly expires_at: string | null;
}

const path = "/control/session";
/** In the browser's storage while a person is signed in; it says so and nothing else. */
const signedInMark = "console-signed-in";

/** Who is signed in now, as the gateway says. */
export async function askSession(): Promise<Session | null> {
  return await requestSession("GET");
}

/** The session, or null for a visitor who is not signed in. The gateway is asked only where a person has signed in before. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async () => {
    if (!hasSignedIn()) return null;
    const session = await askSession();
    // The browser may have come back from an identity provider, with another person.
    if (session === null) markSignedIn(false);
    else tellTabs(session.session_id);
    return session;
  },
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** @throws CallError 401 for a key that is not known. */
export async function signIn(key: string): Promise<Session> {
  const session = await requestSession("POST", { key });
  if (session === null) throw new CallError("This key is unknown or revoked.", { status: 401 });
  tellTabs(session.session_id);
  return session;
}

/** Ends the session on the gateway and in all tabs of the browser. */
export async function signOut({ csrf_token }: Session): Promise<void> {
  const reply = await fetch(path, { method: "DELETE", headers: { "x-gatehouse-csrf": csrf_token } });
  if (!reply.ok && reply.status !== 401) throw await toCallError(reply);
  markSignedIn(false);
  tellTabs(null);
}

async function requestSession(method: "GET" | "POST", body?: object): Promise<Session | null> {
  const reply = await fetch(path, {
    method,
    ...(body && { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  }).catch(notReached);
  // The mark stays: another tab may be about to come back from an identity provider.
  if (reply.status === 401) return null;
  if (!reply.ok) throw await toCallError(reply);
  markSignedIn(true);
  return (await reply.json().catch(notReached)) as Session;
}

/** Whether a person has signed in here; true where the browser lets the page store nothing, since the gateway knows. */
function hasSignedIn(): boolean {
  try {
    return localStorage.getItem(signedInMark) !== null;
  } catch {
    return true;
  }
}

function markSignedIn(isSignedIn: boolean): void {
  try {
    if (isSignedIn) localStorage.setItem(signedInMark, "yes");
    else localStorage.removeItem(signedInMark);
  } catch {
    // Storage is refused, and `hasSignedIn` does without it.
  }
}

/** Has the gateway asked for a session when the page is opened next. */
export function expectSession(): void {
  markSignedIn(true);
}

/** For `catch` of a fetch: no reply came at all. */
export function notReached(): never {
  throw new CallError("The gateway is not responding. Check that it is running, then try again.", { status: 0 });
}

/** Reads `{error, detail}` of a refusal. */
export async function toCallError(reply: Response): Promise<CallError> {
  const body = (await reply.json().catch(() => ({}))) as { readonly error?: unknown; readonly detail?: unknown };
  const texts = [body.error, body.detail].filter((text) => typeof text === "string");
  const message = texts.length === 0 ? `The gateway answered with status ${reply.status}.` : texts.join(" ");
  return new CallError(message, { status: reply.status, requestId: reply.headers.get("x-request-id") ?? undefined });
}
