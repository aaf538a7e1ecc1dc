import type { IncomingMessage, ServerResponse } from "node:http";
import { toGatewayError } from "@gatehouse/errors";
import { sendError, sendJson } from "@gatehouse/http";
import {
  type AdminPrincipal,
  csrfTokenOf,
  hashToken,
  type RequestContext,
  type ServiceHandler,
} from "@gatehouse/principal";
import { invalidToken } from "../domain/bearer.ts";
import { isSecureOrigin, isSecureRequest } from "../domain/secure-request.ts";
import { endedSessionCookie, readSessionCookie, sessionCookie, sessionOver } from "../domain/session-cookie.ts";
import type { SessionKeeper, ShownSession } from "../domain/session-keeper.ts";
import type { SignIns } from "./sign-in.ts";

/** Prevents caching by intermediaries, and content sniffing. */
const privateHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" };

interface Call {
  readonly keeper: SessionKeeper;
  readonly signIns: Pick<SignIns, "keyHashOf">;
  readonly publicUrl: string | undefined;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly context: RequestContext;
  readonly principal: AdminPrincipal;
}

/** Handler of `/control/session`: opens, shows and ends a console session. The dispatcher has checked the credential. */
export function createConsoleSessions(
  keeper: SessionKeeper,
  signIns: Pick<SignIns, "keyHashOf">,
  publicUrl: string | undefined,
): ServiceHandler {
  return async (req, res, context) => {
    try {
      const { principal } = context;
      if (principal.kind !== "admin") throw invalidToken();
      const call = { keeper, signIns, publicUrl, req, res, context, principal };
      if (req.method === "POST") await open(call);
      else if (req.method === "DELETE") await end(call);
      else await show(call);
    } catch (err) {
      sendError(res, toGatewayError(err), privateHeaders);
    }
  };
}

async function open({ req, res, context, principal, keeper, signIns, ...call }: Call): Promise<void> {
  const keyHash = signIns.keyHashOf(req);
  if (keyHash === undefined) throw invalidToken();
  const { ipAddress } = context;
  const userAgent = req.headers["user-agent"] ?? "";
  const opened = await keeper.open({ adminKeyId: principal.adminKeyId, keyHash, ipAddress, userAgent });
  if (opened === undefined) throw invalidToken();
  const { session, sessionId } = opened;
  const headers = {
    ...privateHeaders,
    "set-cookie": sessionCookie(sessionId, isSecurePage({ ...call, req, context })),
  };
  sendJson(res, { status: 200, body: encodeSession(session, hashToken(sessionId)), headers });
}

async function show({ req, res, keeper, ...call }: Call): Promise<void> {
  const sessionId = readSessionCookie(req.rawHeaders, isSecure({ ...call, req }));
  if (typeof sessionId !== "string") throw sessionId ?? sessionOver();
  const sessionHash = hashToken(sessionId);
  const session = await keeper.find(sessionHash);
  if (session === undefined) throw sessionOver();
  sendJson(res, { status: 200, body: encodeSession(session, sessionHash), headers: privateHeaders });
}

async function end({ req, res, context, principal, keeper, ...call }: Call): Promise<void> {
  if (principal.session === undefined) throw sessionOver();
  await keeper.end(principal.session.id, context.ipAddress);
  const headers = { ...privateHeaders, "set-cookie": endedSessionCookie(isSecurePage({ ...call, req, context })) };
  if (!res.headersSent) res.writeHead(204, headers).end();
}

type Asked = Pick<Call, "req" | "context" | "publicUrl">;

function isSecure({ req, context, publicUrl }: Asked): boolean {
  return isSecureRequest({ headers: req.headers, protocol: context.protocol, publicUrl });
}

/**
 * Whether a request, whose origin has been checked, came from a page over TLS. A false claim only keeps the client's own browser
 * from storing the cookie.
 */
function isSecurePage(asked: Asked): boolean {
  return isSecure(asked) || isSecureOrigin(asked.req.headers.origin);
}

function encodeSession({ id, adminKeyId, name, role, projects, expiresAt }: ShownSession, sessionHash: Uint8Array) {
  const own = { session_id: id, admin_key_id: adminKeyId, name, role, projects };
  return { ...own, csrf_token: csrfTokenOf(sessionHash), expires_at: expiresAt?.toISOString() ?? null };
}
