import { Secret } from "@gatehouse/vault";
import { formatServiceKeys, formatTrust, makeKeyPair } from "./key-files.ts";
import type { ServiceName } from "./service-names.ts";

/** Keys by which the services of one run know each other; nothing of them outlives it. */
export interface RunTrust {
  /** Each service's own key, as it reads it. */
  readonly keys: ReadonlyMap<ServiceName, Secret>;
  /** All public keys, as every service reads them. */
  readonly text: string;
}

/** Makes a key pair for each service. */
export function createRunTrust(names: readonly ServiceName[]): RunTrust {
  const pairs = names.map((service) => ({ service, ...makeKeyPair(service, 0) }));
  return {
    keys: new Map(pairs.map(({ service, own }) => [service, new Secret(formatServiceKeys({ service, keys: [own] }))])),
    text: formatTrust(pairs.map(({ known }) => known)),
  };
}
