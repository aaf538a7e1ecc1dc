import type { EnvReader } from "@gatehouse/config";
import { formatServiceKeys, formatTrust, makeKeyPair, parseServiceKeys, parseTrust } from "./key-files.ts";
import type { KeySource } from "./key-source.ts";
import { ServiceTrust } from "./service-trust.ts";
import type { ServiceTls } from "./tls/service-tls.ts";

const howToMake = "made by: gatehouse keys init";

/**
 * Reads `GATEHOUSE_SERVICE_KEY` and `GATEHOUSE_TRUST`, usually from files (`…_FILE`), which are then followed. Problems are
 * collected in `env`; the returned trust then knows no other service.
 * @param tls the certificate of the process, which must be of the same service
 */
export function readServiceTrust(env: EnvReader, tls: ServiceTls | undefined): ServiceTrust {
  const own = readSource(env, "GATEHOUSE_SERVICE_KEY", (text) => void parseServiceKeys(text));
  const known = readSource(env, "GATEHOUSE_TRUST", (text) => void parseTrust(text));
  if (own === undefined || known === undefined) return trustOfNone();
  const trust = new ServiceTrust(own, known);
  if (tls !== undefined && tls.service !== trust.service)
    env.problem(
      "GATEHOUSE_TLS_CERTIFICATE",
      `belongs to the service ${tls.service}, but GATEHOUSE_SERVICE_KEY to ${trust.service}`,
    );
  return trust;
}

function trustOfNone(): ServiceTrust {
  const service = "router";
  const { own, known } = makeKeyPair(service, 0);
  return new ServiceTrust({ text: formatServiceKeys({ service, keys: [own] }) }, { text: formatTrust([known]) });
}

function readSource(env: EnvReader, name: string, check: (text: string) => void): KeySource | undefined {
  const text = env.requiredSecret(name, howToMake).reveal();
  if (text === "") return undefined;
  try {
    check(text);
  } catch (err) {
    env.problem(name, err instanceof Error ? err.message : "is not valid");
    return undefined;
  }
  return { text, path: env.secretFile(name) };
}
