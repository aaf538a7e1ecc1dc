export { type AddressBytes, parseAddress } from "./address.ts";
export { type AddressVerdict, classifyAddress } from "./classify-address.ts";
export { connectGuarded, type GuardedConnectOptions } from "./connect-guarded.ts";
export {
  allowNothing,
  type EgressAllow,
  EgressAllowError,
  type HostEntry,
  type NetworkEntry,
  parseEgressAllow,
} from "./egress-allow.ts";
export { type EgressConfig, readEgressConfig } from "./egress-config.ts";
export { createEgressDispatcher, type EgressDispatcherOptions } from "./egress-dispatcher.ts";
export { createEgressGuard, type EgressGuard, type EgressGuardOptions } from "./egress-guard.ts";
export { type EgressTarget, urlLengthMax } from "./egress-url.ts";
export { createGuardedFetch, type GuardedFetch, type GuardedFetchOptions } from "./guarded-fetch.ts";
export { createFloorConnector, floorProblem } from "./floor-connector.ts";
export type { OpenSocket } from "./open-connection.ts";
export { listOwnAddresses } from "./own-addresses.ts";
export { type HostQuestion, type NameSource, type ResolveHost, resolveHost } from "./resolve-host.ts";
export { toEgressError } from "./egress-error.ts";
