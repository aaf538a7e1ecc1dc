export { isAllowedCaller, listedRpcServices } from "./call-table.ts";
export {
  formatServiceKeys,
  formatTrust,
  makeKeyPair,
  parseServiceKeys,
  parseTrust,
  type PrivateKey,
  type PublicKey,
  type ServiceKeys,
} from "./key-files.ts";
export { isServiceName, sealingServices, type ServiceName, serviceNames } from "./service-names.ts";
export { createRunTrust, type RunTrust } from "./run-trust.ts";
export { readServiceTrust } from "./trust-config.ts";
export { type Clock, ServiceTrust, type Signed, type SigningPurpose } from "./service-trust.ts";
