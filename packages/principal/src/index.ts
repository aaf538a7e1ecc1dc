export {
  adminActor,
  personName,
  personPrefix,
  type AdminPrincipal,
  type AdminRole,
  adminRoles,
  type ConsoleSession,
  isAdminRole,
  type ExternalSubject,
  isProjectType,
  isScope,
  isUnlimited,
  type Principal,
  type PrincipalProject,
  type ProjectType,
  projectTypes,
  type RateLimits,
  type Scope,
  scopes,
  surfaceOfProject,
  type TokenPrincipal,
  type UserLimits,
} from "./principal.ts";
export { isWithin, type Networks, parseNetworks } from "./networks.ts";
export {
  createPrincipalReader,
  fromPrincipalMessage,
  toPrincipalMessage,
  toRateLimitsMessage,
  toReachMessage,
  toUserLimitsMessage,
} from "./principal-message.ts";
export { matchesPattern } from "./name-pattern.ts";
export {
  isToolReachLimited,
  isWholeReach,
  mayCallFrom,
  mayReachEndpoint,
  mayReachEndpointAsTool,
  mayReachTool,
  reachBounds,
  type TokenReach,
  wholeReach,
} from "./reach.ts";
export {
  internalHeaders,
  type Protocol,
  type RequestContext,
  type ServiceHandler,
  tokenPrincipal,
} from "./request-context.ts";
export { fromRouterHeader, type RouterFacts, toRouterHeader } from "./router-facts.ts";
export { csrfTokenOf, isSessionId, mintSessionId } from "./console-session.ts";
export type { NamedProvider, SignInReturn } from "./sign-in.ts";
export { type Clock, createPrincipalSigner, createPrincipalVerifier, type PrincipalSigner } from "./signature.ts";
export {
  isJwtForm,
  jwtLengthMax,
  malformedJwt,
  oversizedJwt,
  adminKeyBodyLengthMin,
  checksumHolds,
  hasAdminKeyPrefix,
  hashToken,
  hasTokenPrefix,
  isAcceptableAdminKey,
  mintAdminKey,
  mintToken,
  type TokenEnvironment,
} from "./token-format.ts";
export { toUserName, userHeader, userNameLengthMax, userOfRequest } from "./user-name.ts";
