import { isIP } from "node:net";
import type { EnvReader } from "@gatehouse/config";

/** The host of a URL without the brackets in which an address of IPv6 stands there. */
export function bareHost(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

/** Whether an address is this machine's: a loopback address, `localhost`, or a socket path. */
export function isLoopbackHost(host: string): boolean {
  const name = bareHost(host).toLowerCase();
  if (name.startsWith("/") || name === "localhost" || name.endsWith(".localhost")) return true;
  return isIP(name) === 4 ? name.startsWith("127.") : name === "::1" || name.startsWith("::ffff:127.");
}

const howToFix =
  "use an address of this machine (127.0.0.1), set certificates (GATEHOUSE_TLS_CERTIFICATE_FILE, made by: gatehouse keys init), sslmode=verify-full for Postgres, tls:// for NATS, https:// for a collector, or GATEHOUSE_PLAINTEXT=allow where the network is safe";

/**
 * Refuses unencrypted traffic to other machines, unless `GATEHOUSE_PLAINTEXT` is `allow`. Problems are collected in `env`. @param
 * hosts hosts of the setting, to connect to or listen on.
 */
export function refusePlaintext(env: EnvReader, name: string, hosts: readonly string[]): void {
  const isAllowed = env.oneOf("GATEHOUSE_PLAINTEXT", ["refuse", "allow"], "refuse") === "allow";
  if (isAllowed || hosts.every((host) => isLoopbackHost(host))) return;
  env.problem(name, `is unencrypted and not limited to this machine: ${howToFix}`);
}
