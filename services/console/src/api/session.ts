import { queryOptions } from "@tanstack/react-query";
import { CallError } from "./call-error.ts";
import { tellTabs } from "./session-news.ts";

/** The signed-in person's session; scripts cannot read its cookie. */
export interface Session {
  /** As in `svc_list_console_sessions`. */
  readonly session_id: number;
  /** Identifies the person over all sign-ins, also with an identity provider. */
  readonly admin_key_id: number;
  readonly name: string;
  readonly role: string;
  /** Uuids of the person's projects; null: all. */
  readonly projects: readonly string[] | null;
  readonly csrf_token: string;
  /** Null: ends only by idleness. */
  readonly expires_at: string | null;
}

const path = "/control/session";
/** Set in the browser's storage while a person is signed in; contains nothing else. */
const signedInMark = "console-signed-in";

/** Reads the present session from the gateway. */
export async function askSession(signal?: AbortSignal): Promise<Session | null> {
  return await requestSession({ method: "GET", ...(signal && { signal }) });
}

/** The session, or null for a visitor. Asks the gateway only if a person has signed in before. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: async () => {
    if (!hasSignedIn()) return null;
    const session = await askSession();
    // Kept otherwise: the browser may return from an identity provider with another person.
    if (session === null) markSignedIn(false);
    else tellTabs(session.session_id);
    return session;
  },
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
});

/** @throws CallError 401 for an unknown key */
export async function signIn(key: string): Promise<Session> {
  const session = await requestSession({
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ key }),
  });
  if (session === null) throw new CallError("This key is unknown or revoked.", { status: 401 });
  tellTabs(session.session_id);
  return session;
}

/** Ends the session on the gateway and in all tabs of the browser. */
export async function signOut({ csrf_token }: Session): Promise<void> {
  const reply = await fetch(path, { method: "DELETE", headers: { "x-gatehouse-csrf": csrf_token } }).catch(notReached);
  if (!reply.ok && reply.status !== 401) throw await toCallError(reply);
  markSignedIn(false);
  tellTabs(null);
}

async function requestSession(request: RequestInit): Promise<Session | null> {
  const reply = await fetch(path, request).catch(notReached);
  // Keeps the mark: another tab may be about to return from an identity provider.
  if (reply.status === 401) return null;
  if (!reply.ok) throw await toCallError(reply);
  markSignedIn(true);
  return (await reply.json().catch(notReached)) as Session;
}

/** Whether a person has signed in here; true where the browser refuses storage, so that the gateway is asked. */
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
    // Without storage, `hasSignedIn` returns true.
  }
}

/** Makes the page ask for a session when it is opened next. */
export function expectSession(): void {
  markSignedIn(true);
}

/** For `catch` of a fetch without a reply. */
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
