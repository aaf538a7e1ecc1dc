import { isWholeReach, toRateLimitsMessage, toReachMessage, toUserLimitsMessage } from "@gatehouse/principal";
import type { ResolveTokenRequest, ResolveTokenResponse } from "@gatehouse/proto/control-plane";
import type { PrincipalReader, ResolvedToken } from "../store/principals.ts";

/** `ResolveToken`: one prepared statement. The use of the token is recorded in the background. */
export function createResolveToken(
  principals: PrincipalReader,
  usage: { record(tokenId: number, at: Date): void },
  wallNow: () => number,
) {
  return async function resolveToken({ tokenHash }: ResolveTokenRequest): Promise<ResolveTokenResponse> {
    const at = new Date(wallNow());
    const token = await principals.findToken(tokenHash, at);
    if (token === undefined) return {};
    usage.record(token.tokenId, at);
    return { principal: toPrincipal(token) };
  };
}

/** Token as routers receive it. `reach` and `userLimits` are absent where they restrict nothing. */
export function toPrincipal({
  tokenId,
  tokenName,
  environment,
  scopes,
  expiresAt,
  rateLimits,
  userLimits,
  project,
  reach,
}: ResolvedToken) {
  const hasUserLimits = userLimits.perMinute !== null || userLimits.monthlyBudgetMicros !== null;
  return {
    tokenId,
    tokenName,
    environment,
    scopes: [...scopes],
    expiresAt: expiresAt ?? undefined,
    tokenRateLimits: toRateLimitsMessage(rateLimits),
    project: {
      ...project,
      rateLimits: toRateLimitsMessage(project.rateLimits),
      ledgerGraceSeconds: project.ledgerGraceSeconds ?? undefined,
    },
    ...(isWholeReach(reach) ? {} : { reach: toReachMessage(reach) }),
    ...(hasUserLimits ? { userLimits: toUserLimitsMessage(userLimits) } : {}),
  };
}
