import { formatServiceKeys, formatTrust, makeKeyPair } from "./key-files.ts";
import { type ServiceName, serviceNames } from "./service-names.ts";
import { type Clock, ServiceTrust } from "./service-trust.ts";

export interface TestTrust {
  /** Trust of a service whose signatures the others accept. */
  of(service: ServiceName, wallNow?: Clock): ServiceTrust;
  /** Settings of a process. */
  env(service: ServiceName): Readonly<Record<"GATEHOUSE_SERVICE_KEY" | "GATEHOUSE_TRUST", string>>;
}

/** Trust of a service whose first key ends when the second one begins to sign, as in a rotation without lead. */
export function createTurningTrust(service: ServiceName, turnsAtMs: number, wallNow: Clock): ServiceTrust {
  const [first, second] = [makeKeyPair(service, 0), makeKeyPair(service, turnsAtMs)];
  const own = formatServiceKeys({ service, keys: [first.own, second.own] });
  return new ServiceTrust(
    { text: own },
    { text: formatTrust([{ ...first.known, notAfter: turnsAtMs }, second.known]) },
    wallNow,
  );
}

/** Services that trust each other; two such sets do not trust each other. */
export function createTestTrust(): TestTrust {
  const pairs = new Map(serviceNames.map((service) => [service, makeKeyPair(service, 0)]));
  const text = formatTrust([...pairs.values()].map(({ known }) => known));
  const keysOf = (service: ServiceName) => {
    const pair = pairs.get(service);
    if (pair === undefined) throw new Error(`${service} has no key.`);
    return formatServiceKeys({ service, keys: [pair.own] });
  };
  return {
    of: (service, wallNow) => new ServiceTrust({ text: keysOf(service) }, { text }, wallNow),
    env: (service) => ({ GATEHOUSE_SERVICE_KEY: keysOf(service), GATEHOUSE_TRUST: text }),
  };
}
