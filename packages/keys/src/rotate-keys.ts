import { makeKeyPair, type ServiceName, serviceNames } from "@gatehouse/trust";
import { checkCertificates, initCertificates, rotateCertificates, type ServerHosts } from "./certificates.ts";
import {
  KeysError,
  readServiceKeys,
  readTrust,
  toServiceKeyPath,
  writeServiceKeys,
  writeTrust,
} from "./keys-folder.ts";

/** Options of {@link rotateKeys}, from the command line of `gatehouse keys rotate`. */
export interface RotateOptions {
  readonly folder: string;
  /** Absent: all, each of which must have keys. One that is named and has none gets a key. */
  readonly services?: readonly ServiceName[];
  /** Whether a new authority signs the new certificates. */
  readonly isNewAuthority?: boolean;
  /** Names for the servers' new certificates; those of their present ones where absent. */
  readonly hosts?: Partial<ServerHosts>;
  /** Names of the servers for a folder of an earlier version, without certificates. */
  readonly hostsOfNone?: ServerHosts;
  /** Time until the new keys sign, within which the trust file reaches every service. */
  readonly leadMs: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Outcome of a rotation; times in milliseconds since 1970. */
export interface Rotation {
  /** Start of the new keys. */
  readonly signsFrom: number;
  /** End of the old ones. */
  readonly ends: number;
  /** Services that had no valid key, whose new ones sign already. */
  readonly withoutKey: readonly ServiceName[];
}

/**
 * Gives services new keys without an outage. The new public keys are published first; after `leadMs` the services sign with them,
 * and after as long again the old ones expire. New certificates are valid at once. Services follow the files without a restart.
 * A service without a valid key signs with its new one at once.
 * @throws KeysError where a file is missing, damaged or of another service: nothing is changed
 */
export async function rotateKeys(options: RotateOptions): Promise<Rotation> {
  const { folder, leadMs, now } = options;
  const signsFrom = now + leadMs;
  const ends = signsFrom + leadMs;
  const services = options.services ?? serviceNames;
  const kept = (await readTrust(folder)).filter(({ notAfter }) => notAfter === undefined || notAfter > now);
  const living = new Set(kept.map(({ id }) => id));
  const { isNewAuthority = false, hosts = {}, hostsOfNone = { nats: ["nats"], postgres: ["postgres"] } } = options;
  // All input is read before anything is written, and no key gets an end before its successor is written.
  await checkCertificates(folder, hosts);
  const isNamed = options.services !== undefined;
  const renewed = await Promise.all(
    services.map(async (service) => {
      const present = await readServiceKeys(folder, service);
      if (present === undefined && !isNamed) throw missingKeys(folder, service);
      const valid = present?.keys.filter(({ id }) => living.has(id)) ?? [];
      const { own, known } = makeKeyPair(service, valid.length === 0 ? 0 : signsFrom);
      return { known, isFirst: valid.length === 0, keys: { service, keys: [...valid, own] } };
    }),
  );
  const added = renewed.map(({ known }) => known);
  await writeTrust(folder, [...kept, ...added]);
  for (const { keys } of renewed) await writeServiceKeys(folder, keys);
  const ending = kept.map((key) => (services.includes(key.service) ? { ...key, notAfter: key.notAfter ?? ends } : key));
  await writeTrust(folder, [...ending, ...added]);
  if (!(await rotateCertificates({ folder, services, isNewAuthority, hosts, leadMs, now })))
    await initCertificates(folder, { ...hostsOfNone, ...hosts }, now);
  const withoutKey = renewed.filter(({ isFirst }) => isFirst).map(({ keys: { service } }) => service);
  return { signsFrom, ends, withoutKey };
}

function missingKeys(folder: string, service: ServiceName): KeysError {
  const remedy = `Restore it from a copy, or make a new key: gatehouse keys rotate ${service}`;
  return new KeysError(`${toServiceKeyPath(folder, service)} is missing. ${remedy}`);
}
