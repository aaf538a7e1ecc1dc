import type { EnvReader } from "@gatehouse/config";
import type { KeySource } from "../key-source.ts";
import { ServiceTls } from "./service-tls.ts";

const names = {
  certificate: "GATEHOUSE_TLS_CERTIFICATE",
  key: "GATEHOUSE_TLS_KEY",
  authorities: "GATEHOUSE_TLS_CA",
} as const;

/** Whether certificates are configured, valid or not. */
export function isTlsConfigured(env: EnvReader): boolean {
  return Object.values(names).some(
    (name) => env.optionalText(name) !== undefined || env.secretFile(name) !== undefined,
  );
}

/**
 * Reads the certificate of this process, usually from files, which are then followed. Undefined where none is set or it is
 * invalid; problems are collected in `env`.
 */
export function readServiceTls(env: EnvReader): ServiceTls | undefined {
  if (!isTlsConfigured(env)) return undefined;
  const certificate = readSource(env, "GATEHOUSE_TLS_CERTIFICATE");
  const key = readSource(env, "GATEHOUSE_TLS_KEY");
  const authorities = readSource(env, "GATEHOUSE_TLS_CA");
  if (certificate === undefined || key === undefined || authorities === undefined) return undefined;
  try {
    return new ServiceTls({ certificate, key, authorities });
  } catch (err) {
    const name = certificate.path === undefined ? names.certificate : `${names.certificate}_FILE`;
    env.problem(name, `cannot be used: ${err instanceof Error ? err.message : "unknown"}`);
    return undefined;
  }
}

function readSource(env: EnvReader, name: string): KeySource | undefined {
  const text = env.requiredSecret(name, "certificate, key and authorities are set together").reveal();
  return text === "" ? undefined : { text, path: env.secretFile(name) };
}
