import { Secret } from "@gatehouse/vault";
import { formatServiceKeys, formatTrust, makeKeyPair } from "./key-files.ts";
import type { ServiceName } from "./service-names.ts";

/** Keys of the services of one run, which do not outlive it. */
export interface RunTrust {
  /** Key file of each service. */
  readonly keys: ReadonlyMap<ServiceName, Secret>;
  /** File of all public keys. */
  readonly text: string;
}

/** Creates a key pair for each service of one run, valid at once and without an end; nothing is written to disk. */
export function createRunTrust(names: readonly ServiceName[]): RunTrust {
  const pairs = names.map((service) => ({ service, ...makeKeyPair(service, 0) }));
  return {
    keys: new Map(pairs.map(({ service, own }) => [service, new Secret(formatServiceKeys({ service, keys: [own] }))])),
    text: formatTrust(pairs.map(({ known }) => known)),
  };
}
