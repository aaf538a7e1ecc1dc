import type { ListTrustedIssuersResponse, ResolveJwtRequest, ResolveJwtResponse } from "@gatehouse/proto/control-plane";
import type { JwtVerifier, VerifiedJwt } from "../clients/jwt-verifier.ts";
import { subjectsMax } from "../domain/issuer.ts";
import { untrustedIssuer } from "../domain/jwt-claims.ts";
import type { SubjectToken, TrustingProject, TrustReader } from "../store/trusted-issuers.ts";
import { toPrincipal } from "./resolve-token.ts";

/** `ResolveJwt`: checks the signature and the claims, and finds the subject's token in this project. */
export function createResolveJwt(
  trust: TrustReader,
  verifier: Pick<JwtVerifier, "verify">,
  usage: { record(tokenId: number, at: Date): void },
  wallNow: () => number,
) {
  return async function resolveJwt({ projectUuid, jwt }: ResolveJwtRequest): Promise<ResolveJwtResponse> {
    const trusting = await trust.find(projectUuid);
    if (trusting === undefined) return { refusal: untrustedIssuer.message };
    const verified = await verifier.verify(jwt, trusting.issuers);
    if (verified.kind === "refused") return { refusal: verified.message };
    const token = await trust.subject(verified.issuer.id, verified.subject);
    if (token === undefined) return { refusal: fullIssuer };
    if (!token.isActive) return { refusal: "Token's subject (sub) has been revoked." };
    const at = new Date(wallNow());
    if (token.expiresAt !== null && token.expiresAt <= at) return { refusal: "Token's subject (sub) has expired." };
    usage.record(token.id, at);
    return { principal: toMessage(trusting, verified, token), refusal: "" };
  };
}

const fullIssuer = `Token's issuer has ${subjectsMax} subjects, the most that it may have. Ask an administrator to delete unused ones.`;

/** `ListTrustedIssuers`: projects whose JWTs routers accept, and the issuers for clients. */
export function createListTrustedIssuers(trust: Pick<TrustReader, "list">) {
  return async function listTrustedIssuers(): Promise<ListTrustedIssuersResponse> {
    const issuers = await trust.list();
    return { issuers: issuers.map((each) => ({ ...each, scopes: [...each.scopes] })) };
  };
}

function toMessage({ project }: TrustingProject, verified: VerifiedJwt, token: SubjectToken) {
  const { issuer, subject, scopes } = verified;
  const principal = toPrincipal({
    tokenId: token.id,
    tokenName: token.name,
    environment: "live",
    scopes,
    expiresAt: earlier(verified.expiresAt, token.expiresAt),
    rateLimits: {
      perMinute: token.perMinute ?? issuer.rateLimitPerMinute,
      perHour: token.perHour ?? issuer.rateLimitPerHour,
    },
    userLimits: token.userLimits,
    reach: token.reach,
    project,
  });
  return { ...principal, external: { issuerId: issuer.id, subject } };
}

function earlier(one: Date, other: Date | null): Date {
  return other !== null && other < one ? other : one;
}
