import { type AdminPrincipal, fromPrincipalMessage, type Principal, type TokenPrincipal } from "@gatehouse/principal";
import type { PrincipalServiceDefinition } from "@gatehouse/proto/control-plane";
import type { Principal as PrincipalMessage } from "@gatehouse/proto/principal";
import type { RpcClient } from "@gatehouse/rpc";
import type { Answer, Ask } from "../domain/principal-cache.ts";

export type PrincipalsClient = RpcClient<typeof PrincipalServiceDefinition>;

/** How the subjects of invalidations are written inside the router. */
export const subjectNames = {
  token: (id: number) => `token:${id}`,
  project: (uuid: string) => `project:${uuid}`,
  adminKey: (id: number) => `admin_key:${id}`,
} as const;

/** The subjects under which a principal is invalidated. */
export function subjectsOf(principal: Principal): readonly string[] {
  if (principal.kind === "admin") return [subjectNames.adminKey(principal.adminKeyId)];
  return [subjectNames.token(principal.tokenId), subjectNames.project(principal.project.uuid)];
}

/** Asks the control plane about tokens; each question ends within `timeoutMs`. */
export function createTokenQuestion(client: PrincipalsClient, timeoutMs: number): Ask<TokenPrincipal> {
  return async (hash) => {
    const request = { tokenHash: Buffer.from(hash, "hex") };
    const { principal } = await client.resolveToken(request, { signal: AbortSignal.timeout(timeoutMs) });
    return principal === undefined ? undefined : toTokenAnswer(principal);
  };
}

/** Asks the control plane about admin keys; each question ends within `timeoutMs`. */
export function createAdminKeyQuestion(client: PrincipalsClient, timeoutMs: number): Ask<AdminPrincipal> {
  return async (hash, ipAddress) => {
    const request = { keyHash: Buffer.from(hash, "hex"), ipAddress };
    const { adminKey } = await client.resolveAdminKey(request, { signal: AbortSignal.timeout(timeoutMs) });
    if (adminKey === undefined) return undefined;
    const { id, name } = adminKey;
    return {
      value: { kind: "admin", adminKeyId: id, name },
      expiresAtMs: Infinity,
      subjects: [subjectNames.adminKey(id)],
    };
  };
}

function toTokenAnswer(message: PrincipalMessage): Answer<TokenPrincipal> {
  const value = fromPrincipalMessage(message);
  return {
    value,
    expiresAtMs: message.expiresAt?.getTime() ?? Infinity,
    subjects: subjectsOf(value),
  };
}
