import { makeKeyPair, type ServiceName, serviceNames } from "@gatehouse/trust";
import { initCertificates, rotateCertificates, type ServerHosts } from "./certificates.ts";
import { readServiceKeys, readTrust, writeServiceKeys, writeTrust } from "./keys-folder.ts";

/** Options of {@link rotateKeys}, from the command line of `gatehouse keys rotate`. */
export interface RotateOptions {
  readonly folder: string;
  /** Absent: all. */
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

/**
 * Gives services new keys without an outage. The new public keys are published first; after `leadMs` the services sign with them,
 * and after as long again the old ones expire. New certificates are valid at once. Services follow the files without a restart.
 * @returns start of the new keys, and end of the old ones, milliseconds since 1970.
 */
export async function rotateKeys(
  options: RotateOptions,
): Promise<{ readonly signsFrom: number; readonly ends: number }> {
  const { folder, leadMs, now } = options;
  const signsFrom = now + leadMs;
  const ends = signsFrom + leadMs;
  const services = options.services ?? serviceNames;
  const kept = (await readTrust(folder)).filter(({ notAfter }) => notAfter === undefined || notAfter > now);
  const living = new Set(kept.map(({ id }) => id));
  // All input is read before anything is written, and no key gets an end before its successor is written.
  const present = await Promise.all(services.map(async (service) => await readServiceKeys(folder, service)));
  const renewed = present.map(({ service, keys }) => {
    const { own, known } = makeKeyPair(service, signsFrom);
    return { known, keys: { service, keys: [...keys.filter(({ id }) => living.has(id)), own] } };
  });
  const added = renewed.map(({ known }) => known);
  await writeTrust(folder, [...kept, ...added]);
  for (const { keys } of renewed) await writeServiceKeys(folder, keys);
  const ending = kept.map((key) => (services.includes(key.service) ? { ...key, notAfter: key.notAfter ?? ends } : key));
  await writeTrust(folder, [...ending, ...added]);
  const { isNewAuthority = false, hosts = {}, hostsOfNone = { nats: ["nats"], postgres: ["postgres"] } } = options;
  if (!(await rotateCertificates({ folder, services, isNewAuthority, hosts, leadMs, now })))
    await initCertificates(folder, { ...hostsOfNone, ...hosts }, now);
  return { signsFrom, ends };
}
