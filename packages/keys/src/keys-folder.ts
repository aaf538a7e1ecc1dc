import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { codeOf } from "@gatehouse/errors";
import {
  formatServiceKeys,
  formatTrust,
  parseServiceKeys,
  parseTrust,
  type PublicKey,
  type ServiceKeys,
  type ServiceName,
} from "@gatehouse/trust";

/** Failure to create or rotate keys. The message is for the operator and contains no part of a key. */
export class KeysError extends Error {
  override readonly name = "KeysError";
}

/** Mode of files that others than the owner may read. */
const publicMode = 0o644;
const secretMode = 0o600;
/** Modes of public folders, and of those with secrets. */
export const folderModes = { open: 0o755, secret: 0o700 } as const;

/** Files in a folder of keys. Each part is a folder, so that it can be mounted alone and its files be replaced. */
export const keyFiles = {
  trust: "public/trust.json",
  brokerConfig: "nats/nats.conf",
  roles: "postgres/roles.sql",
  serviceKey: "service-key.json",
  natsSeed: "nats-seed",
  databaseUrl: "database-url",
  /** A file for each service, outside of the folder that its process sees. */
  migration: "migration",
  /** Name of that file in an earlier version, in the service's folder. */
  formerMigration: "migration-url",
  keyring: "keyring",
  checkpointKey: "checkpoint-key",
  /** Certificate of a service, and of an external server. */
  tlsCertificate: "tls.crt",
  tlsKey: "tls.key",
  authorities: "public/authorities.pem",
  brokerAuthorities: "nats/authorities.pem",
  authority: "authority/authority.crt",
  authorityKey: "authority/authority.key",
  authorityLink: "authority/link.crt",
} as const;

/** Writes a file atomically, so that a service which follows it never reads half of one. */
export async function writeWhole(path: string, text: string, { isSecret }: { isSecret: boolean }): Promise<void> {
  const mode = isSecret ? secretMode : publicMode;
  await mkdir(dirname(path), { recursive: true, mode: isSecret ? folderModes.secret : folderModes.open });
  const unfinished = `${path}.${process.pid}.new`;
  await writeFile(unfinished, text, { mode });
  await chmod(unfinished, mode);
  await rename(unfinished, path);
}

/**
 * Private keys of a service's folder; undefined if it has no file of them.
 * @throws KeysError where the file cannot be read, is invalid, or has the keys of another service
 */
export async function readServiceKeys(folder: string, service: ServiceName): Promise<ServiceKeys | undefined> {
  const path = toServiceKeyPath(folder, service);
  const remedy = `Restore it from a copy; without one, remove it and make a new key: gatehouse keys rotate ${service}`;
  const keys = await readKeys(path, parseServiceKeys, remedy);
  if (keys === undefined || keys.service === service) return keys;
  throw new KeysError(`${path} has the keys of ${keys.service}. ${remedy}`);
}

/** The file of a service's private keys. */
export function toServiceKeyPath(folder: string, service: ServiceName): string {
  return join(folder, service, keyFiles.serviceKey);
}

/** Replaces the file of a service's private keys, readable by its owner only. */
export async function writeServiceKeys(folder: string, keys: ServiceKeys): Promise<void> {
  await writeWhole(toServiceKeyPath(folder, keys.service), formatServiceKeys(keys), { isSecret: true });
}

/** Public keys that services accept. @throws KeysError where the file cannot be read or is invalid. */
export async function readTrust(folder: string): Promise<readonly PublicKey[]> {
  const path = join(folder, keyFiles.trust);
  const keys = await readKeys(path, parseTrust, damagedTrust);
  if (keys === undefined) throw new KeysError(`${path} is missing. Make keys first with: gatehouse keys init`);
  return keys;
}

const damagedTrust =
  "Restore it from a copy, such as that of a service; without one, remove it and run gatehouse keys init, which keeps the keyrings, apply its roles.sql, and give the new files to all services";

/** Replaces the file of public keys, which every service reads. */
export async function writeTrust(folder: string, keys: readonly PublicKey[]): Promise<void> {
  await writeWhole(join(folder, keyFiles.trust), formatTrust(keys), { isSecret: false });
}

/** Undefined if the file is absent. @throws KeysError with a remedy where it is invalid */
async function readKeys<T>(path: string, parse: (text: string) => T, remedy: string): Promise<T | undefined> {
  try {
    return parse(await readFile(path, "utf8"));
  } catch (err) {
    const code = codeOf(err);
    if (code === "ENOENT") return undefined;
    if (code !== undefined) throw new KeysError(`${path} cannot be read (${code}).`, { cause: err });
    throw new KeysError(`${path} is not valid. ${remedy}`, { cause: err });
  }
}
