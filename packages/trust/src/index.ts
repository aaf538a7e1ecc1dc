export { isAllowedCaller, isAllowedHttpCaller, listedRpcServices } from "./call-table.ts";
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
export { lookEveryMs, readIfThere } from "./key-source.ts";
export {
  checkpointPurpose,
  defaultPorts,
  type Ports,
  isServiceName,
  keyringPurposes,
  operationOwners,
  outboxServices,
  type SealingService,
  sealingServices,
  type ServiceName,
  serviceNames,
  settingPrefix,
  type WithOutbox,
  type WithoutOutbox,
} from "./service-names.ts";
export { createRunTrust, type RunTrust } from "./run-trust.ts";
export { readServiceTrust } from "./trust-config.ts";
export { type Clock, ServiceTrust, type Signed, type SigningPurpose } from "./service-trust.ts";
export { checkServiceIdentity, serviceOfAltNames, serviceOfConnection, uriOfService } from "./tls/peer-certificate.ts";
export { bareHost, refusePlaintext } from "./tls/plaintext.ts";
export { ServiceTls, type TlsMaterial, type TlsSources } from "./tls/service-tls.ts";
export { isTlsConfigured, readServiceTls } from "./tls/tls-config.ts";
