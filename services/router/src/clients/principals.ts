import { GatewayError, internalError } from "@gatehouse/errors";
import {
  type AdminPrincipal,
  csrfTokenOf,
  fromPrincipalMessage,
  isAdminRole,
  type Principal,
  type TokenPrincipal,
} from "@gatehouse/principal";
import type { AdminKey, PrincipalServiceDefinition } from "@gatehouse/proto/control-plane";
import type { Principal as PrincipalMessage } from "@gatehouse/proto/principal";
import type { RpcClient } from "@gatehouse/rpc";
import type { Answer, Ask } from "../domain/principal-answer.ts";

/** gRPC client of the control plane's `PrincipalService`; callers bound each call by a signal. */
export type PrincipalsClient = RpcClient<typeof PrincipalServiceDefinition>;

/** Keys under which principals are invalidated. */
export const subjectNames = {
  token: (id: number) => `token:${id}`,
  project: (uuid: string) => `project:${uuid}`,
  adminKey: (id: number) => `admin_key:${id}`,
  session: (id: number) => `console_session:${id}`,
  issuer: (id: number) => `issuer:${id}`,
} as const;

/** Whether a change may concern trusted issuers: a change of an issuer, or of a project, which is deleted with its issuers. */
export function concernsIssuers(subject: string): boolean {
  return subject.startsWith("issuer:") || subject.startsWith("project:");
}

/** Names under which a change invalidates a cached principal and ends its requests: token or key, project, session, issuer. */
export function subjectsOf(principal: Principal): readonly string[] {
  if (principal.kind === "admin") {
    const { adminKeyId, session } = principal;
    const ofKey = subjectNames.adminKey(adminKeyId);
    return session === undefined ? [ofKey] : [ofKey, subjectNames.session(session.id)];
  }
  const own = [subjectNames.token(principal.tokenId), subjectNames.project(principal.project.uuid)];
  return principal.external === undefined ? own : [...own, subjectNames.issuer(principal.external.issuerId)];
}

/** Question of the token cache: undefined for an unknown, revoked or expired token. Rejects without an answer in `timeoutMs`. */
export function createTokenQuestion(client: PrincipalsClient, timeoutMs: number): Ask<TokenPrincipal> {
  return async (hash) => {
    const request = { tokenHash: Buffer.from(hash, "hex") };
    const { principal } = await client.resolveToken(request, { signal: AbortSignal.timeout(timeoutMs) });
    return principal === undefined ? undefined : toTokenAnswer(principal);
  };
}

/** JWT with the project that it was sent to, whose issuers decide about it. */
export interface JwtQuestion {
  readonly jwt: string;
  readonly projectUuid: string;
}

/** Question of the JWT cache: `invalid_token` with a reason for a refused JWT. Rejects without an answer in `timeoutMs`. */
export function createJwtQuestion(client: PrincipalsClient, timeoutMs: number): Ask<TokenPrincipal, JwtQuestion> {
  return async (_hash, question) => {
    const { principal, refusal } = await client.resolveJwt(question, { signal: AbortSignal.timeout(timeoutMs) });
    return principal === undefined ? new GatewayError("invalid_token", refusal) : toTokenAnswer(principal);
  };
}

/** Question of the admin key cache, with the caller's address, for audit events. Rejects without an answer in `timeoutMs`. */
export function createAdminKeyQuestion(client: PrincipalsClient, timeoutMs: number): Ask<AdminPrincipal> {
  return async (hash, ipAddress) => {
    const request = { keyHash: Buffer.from(hash, "hex"), ipAddress };
    const { adminKey } = await client.resolveAdminKey(request, { signal: AbortSignal.timeout(timeoutMs) });
    if (adminKey === undefined) return undefined;
    const value = toAdminPrincipal(adminKey);
    return { value, expiresAtMs: adminKey.expiresAt?.getTime() ?? Infinity, subjects: subjectsOf(value) };
  };
}

/** Each question counts as a use of the session. */
export function createSessionQuestion(client: PrincipalsClient, timeoutMs: number): Ask<AdminPrincipal> {
  return async (hash) => {
    const sessionHash = Buffer.from(hash, "hex");
    const { session } = await client.resolveSession({ sessionHash }, { signal: AbortSignal.timeout(timeoutMs) });
    if (session?.adminKey === undefined) return undefined;
    const { id, adminKey, expiresAt } = session;
    const value = { ...toAdminPrincipal(adminKey), session: { id, csrfToken: csrfTokenOf(sessionHash) } };
    return { value, expiresAtMs: expiresAt?.getTime() ?? 0, subjects: subjectsOf(value) };
  };
}

/** @throws GatewayError `internal` for a role that this version does not know */
function toAdminPrincipal({ id, name, role = "", projects }: AdminKey): AdminPrincipal {
  if (!isAdminRole(role)) {
    const cause = new Error("An administrator came without a known role.");
    throw internalError(cause);
  }
  return { kind: "admin", adminKeyId: id, name, role, projects: projects?.uuids ?? null };
}

function toTokenAnswer(message: PrincipalMessage): Answer<TokenPrincipal> {
  const value = fromPrincipalMessage(message);
  return {
    value,
    expiresAtMs: message.expiresAt?.getTime() ?? Infinity,
    subjects: subjectsOf(value),
  };
}
