import { BoundedCache } from "@gatehouse/bounded-cache";
import { internalError } from "@gatehouse/errors";
import type {
  Principal as PrincipalMessage,
  Names,
  Project as ProjectMessage,
  RateLimits as RateLimitsMessage,
  Reach as ReachMessage,
  UserLimits as UserLimitsMessage,
} from "@gatehouse/proto/principal";
import {
  isProjectType,
  isScope,
  type PrincipalProject,
  type RateLimits,
  type TokenPrincipal,
  type UserLimits,
} from "./principal.ts";
import type { TokenReach } from "./reach.ts";

/** A token's principal for a gRPC call. Without an expiry: its sender knows that it is valid now. */
export function toPrincipalMessage(principal: TokenPrincipal): PrincipalMessage {
  const { tokenId, tokenName, environment, scopes, rateLimits, project, reach, external, userLimits } = principal;
  return {
    tokenId,
    tokenName,
    environment,
    scopes: [...scopes],
    expiresAt: undefined,
    tokenRateLimits: toRateLimitsMessage(rateLimits),
    project: { ...project, rateLimits: toRateLimitsMessage(project.rateLimits) },
    reach: reach === undefined ? undefined : toReachMessage(reach),
    external,
    userLimits: userLimits === undefined ? undefined : toUserLimitsMessage(userLimits),
  };
}

/** Principals cached by one reader. */
const principalsMax = 10_000;

/**
 * Creates a reader like {@link fromPrincipalMessage} that returns the same object for equal messages, so that data remembered for
 * a principal, such as its limits, is found again.
 */
export function createPrincipalReader(): (message: PrincipalMessage) => TokenPrincipal {
  const known = new BoundedCache<string, TokenPrincipal>(principalsMax);
  return (message) => {
    const key = JSON.stringify(message);
    const principal = known.get(key) ?? fromPrincipalMessage(message);
    known.set(key, principal);
    return principal;
  };
}

/** @throws GatewayError `internal` for a message that this version cannot process. */
export function fromPrincipalMessage(message: PrincipalMessage): TokenPrincipal {
  const { tokenId, tokenName, environment, scopes } = message;
  return {
    kind: "token",
    tokenId,
    tokenName,
    environment: environment === "test" ? "test" : "live",
    scopes: scopes.filter(isScope),
    rateLimits: fromRateLimitsMessage(message.tokenRateLimits),
    project: fromProjectMessage(message.project),
    ...(message.reach === undefined ? {} : { reach: fromReachMessage(message.reach) }),
    ...(message.external === undefined ? {} : { external: message.external }),
    ...(message.userLimits === undefined ? {} : { userLimits: fromUserLimitsMessage(message.userLimits) }),
  };
}

/** Encodes a reach for gRPC. An absent list means no limit, unlike an empty one, which permits nothing. */
export function toReachMessage({ endpoints, tools, networks }: TokenReach): ReachMessage {
  return { endpoints: toNames(endpoints), tools: toNames(tools), networks: toNames(networks) };
}

/** Encodes limits of a token's users for gRPC. Null, which means no limit, becomes an absent field. */
export function toUserLimitsMessage({ perMinute, monthlyBudgetMicros }: UserLimits): UserLimitsMessage {
  return { perMinute: perMinute ?? undefined, monthlyBudgetMicros: monthlyBudgetMicros ?? undefined };
}

function fromUserLimitsMessage({ perMinute, monthlyBudgetMicros }: UserLimitsMessage): UserLimits {
  return { perMinute: perMinute ?? null, monthlyBudgetMicros: monthlyBudgetMicros ?? null };
}

function fromReachMessage({ endpoints, tools, networks }: ReachMessage): TokenReach {
  return { endpoints: endpoints?.names ?? null, tools: tools?.names ?? null, networks: networks?.names ?? null };
}

function toNames(names: readonly string[] | null): Names | undefined {
  return names === null ? undefined : { names: [...names] };
}

function fromProjectMessage(message: ProjectMessage | undefined): PrincipalProject {
  if (message === undefined || message.uuid === "" || !isProjectType(message.projectType)) {
    const cause = new Error("A principal came without a project of a known type.");
    throw internalError(cause);
  }
  const { id, uuid, name, projectType, rateLimits, ledgerGraceSeconds } = message;
  const grace = ledgerGraceSeconds === undefined ? {} : { ledgerGraceSeconds };
  return { id, uuid, name, projectType, rateLimits: fromRateLimitsMessage(rateLimits), ...grace };
}

/** Null, which means no limit, becomes an absent field. */
export function toRateLimitsMessage({ perMinute, perHour }: RateLimits): RateLimitsMessage {
  return { perMinute: perMinute ?? undefined, perHour: perHour ?? undefined };
}

function fromRateLimitsMessage(message: RateLimitsMessage | undefined): RateLimits {
  return { perMinute: message?.perMinute ?? null, perHour: message?.perHour ?? null };
}
