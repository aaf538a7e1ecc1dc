import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { dirname, join } from "node:path";
import { type Authority, clockSkewMs, crossSign, issueCertificate, makeAuthority } from "@gatehouse/certificates";
import { type ServiceName, serviceNames, uriOfService, readIfThere } from "@gatehouse/trust";
import { keyFiles, KeysError, writeWhole } from "./keys-folder.ts";

/** Names and addresses by which services reach an external server. */
export interface ServerHosts {
  readonly nats: readonly string[];
  readonly postgres: readonly string[];
}

const dayMs = 86_400_000;
/** Validity of certificates of services and servers; `/readyz` and the log report the last 30 days. */
const certificateDays = 397;

/** The signing authority, and the links to it for peers that trust only an earlier one. */
interface Signing {
  readonly authority: Authority;
  /** PEM; empty where there was no earlier authority, or it is no longer valid. */
  readonly link: string;
}

/** Creates an authority and a certificate for each service and server. */
export async function initCertificates(folder: string, hosts: ServerHosts, now: number): Promise<void> {
  const signing = { authority: makeAuthority(now), link: "" };
  await writeSigning(folder, signing);
  await writeAuthorities(folder, signing.authority.certificate);
  for (const service of serviceNames) await writeServiceCertificate(folder, service, { ...signing, now });
  await writeServerCertificate(folder, "nats", { ...signing, now, hosts: hosts.nats });
  await writeServerCertificate(folder, "postgres", { ...signing, now, hosts: hosts.postgres });
}

interface CertificateRotation {
  readonly folder: string;
  readonly services: readonly ServiceName[];
  /** Whether a new authority takes over; the earlier one stays valid until a later rotation. */
  readonly isNewAuthority: boolean;
  /** Names for the servers; those of their present certificates where absent. */
  readonly hosts: Partial<ServerHosts>;
  /** Time within which the authorities' file reaches every service. */
  readonly leadMs: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Reads what a rotation of certificates needs, before anything is written.
 * @throws KeysError where a file is missing or damaged, other than in a folder without certificates, of an earlier version
 */
export async function checkCertificates(folder: string, hosts: Partial<ServerHosts>): Promise<void> {
  const present = await readSigning(folder, await readAuthorities(folder));
  if (present === undefined) return;
  for (const server of ["nats", "postgres"] as const) {
    if (hosts[server] === undefined) await readHosts(folder, server);
  }
}

/**
 * Issues new certificates to services, and to the servers where all services get one. Under a new authority they include its
 * certificate signed by the old one, so that they are valid with either and files may be distributed in any order.
 * @returns whether there was an authority.
 */
export async function rotateCertificates(rotation: CertificateRotation): Promise<boolean> {
  const { folder, services, isNewAuthority, now } = rotation;
  const known = await readAuthorities(folder);
  const present = await readSigning(folder, known);
  if (present === undefined) return false;
  const { certificate } = present.authority;
  const earlier = (await isKnownToAll(present.authority, rotation)) ? [] : known.filter((each) => each !== certificate);
  const kept = [certificate, ...earlier];
  const before = withoutOldLink(present, kept);
  const signing = isNewAuthority ? replaceAuthority(before, now) : before;
  const added = isNewAuthority ? signing.authority.certificate : "";
  await writeAuthorities(folder, added + kept.join(""));
  await writeSigning(folder, signing);
  for (const service of services) await writeServiceCertificate(folder, service, { ...signing, now });
  if (services.length === serviceNames.length) {
    for (const server of ["nats", "postgres"] as const) {
      const hosts = rotation.hosts[server] ?? (await readHosts(folder, server));
      if (hosts.length > 0) await writeServerCertificate(folder, server, { ...signing, now, hosts });
    }
  }
  return true;
}

/** Links of rotations within the lead form a chain down to the oldest authority that a peer may know. */
function replaceAuthority({ authority: old, link }: Signing, now: number): Signing {
  const authority = makeAuthority(now);
  return { authority, link: crossSign(authority, old) + link };
}

function withoutOldLink({ authority, link }: Signing, kept: readonly string[]): Signing {
  return { authority, link: kept.length > 1 ? link : "" };
}

/** Whether the authority is old enough for every service to trust it and to use a certificate signed by it. */
async function isKnownToAll(
  { certificate }: Authority,
  { folder, now, leadMs }: CertificateRotation,
): Promise<boolean> {
  const { publicKey, validFromDate } = new X509Certificate(certificate);
  if (validFromDate.getTime() + clockSkewMs + leadMs > now) return false;
  const leaves = await Promise.all(
    serviceNames.map(async (service) => await readIfThere(join(folder, service, keyFiles.tlsCertificate))),
  );
  // An interrupted rotation leaves some that an earlier one has signed.
  return leaves.every((leaf) => leaf === undefined || parseCertificate(leaf)?.verify(publicKey) === true);
}

interface Issuing extends Signing {
  readonly now: number;
}

async function writeServiceCertificate(folder: string, service: ServiceName, { authority, link, now }: Issuing) {
  // The common name is for systems that use names, such as monitoring; services use the URI.
  const names = { commonName: service, uri: uriOfService(service), dnsNames: [service] };
  await writePair(join(folder, service), issueCertificate(authority, { ...names, ...timesFrom(now) }, link));
}

interface ServerIssuing extends Issuing {
  readonly hosts: readonly string[];
}

async function writeServerCertificate(folder: string, server: keyof ServerHosts, issuing: ServerIssuing) {
  const { authority, link, now, hosts } = issuing;
  const names = {
    commonName: server,
    dnsNames: hosts.filter((host) => isIP(host) === 0),
    ipAddresses: hosts.filter((host) => isIP(host) !== 0),
  };
  await writePair(join(folder, server), issueCertificate(authority, { ...names, ...timesFrom(now) }, link));
}

function timesFrom(now: number) {
  return { notBefore: now, notAfter: now + certificateDays * dayMs };
}

async function writePair(folder: string, { certificate, key }: { readonly certificate: string; readonly key: string }) {
  await writeWhole(join(folder, keyFiles.tlsKey), key, { isSecret: true });
  await writeWhole(join(folder, keyFiles.tlsCertificate), certificate, { isSecret: true });
}

/** The key is what counts: the link is there before it, and the certificate is among the authorities. */
async function writeSigning(folder: string, { authority, link }: Signing): Promise<void> {
  const write = async (file: string, text: string) => await writeWhole(join(folder, file), text, { isSecret: true });
  await write(keyFiles.authorityLink, link);
  await write(keyFiles.authorityKey, authority.key);
  await write(keyFiles.authority, authority.certificate);
}

/**
 * Undefined in a folder without certificates.
 * @param known authorities, among which is that of the key where a rotation was interrupted before its last file
 * @throws KeysError where there are certificates and their authority is missing or damaged: a new one would be refused by all
 */
async function readSigning(folder: string, known: readonly string[]): Promise<Signing | undefined> {
  const keyPath = join(folder, keyFiles.authorityKey);
  const [written, key] = [await readIfThere(join(folder, keyFiles.authority)), await readIfThere(keyPath)];
  if (written === undefined && key === undefined && known.length === 0) return undefined;
  if (key === undefined) throw lostAuthority(folder, `${keyPath} is missing`);
  const privateKey = parsePrivateKey(key);
  if (privateKey === undefined) throw lostAuthority(folder, `${keyPath} is not valid`);
  const candidates = written === undefined ? known : [written, ...known];
  const certificate = candidates.find((each) => parseCertificate(each)?.checkPrivateKey(privateKey));
  if (certificate === undefined) throw lostAuthority(folder, `${keyPath} belongs to no certificate here`);
  return { authority: { certificate, key }, link: (await readIfThere(join(folder, keyFiles.authorityLink))) ?? "" };
}

function lostAuthority(folder: string, problem: string): KeysError {
  const parts = [dirname(join(folder, keyFiles.authority)), join(folder, keyFiles.authorities)];
  const remedy = `Restore it from a copy; without one, remove ${parts.join(" and ")}, rotate all services, and stop them until all have the new files`;
  return new KeysError(`${problem}. ${remedy}.`);
}

/** Undefined for a text that is no certificate. */
function parseCertificate(text: string): X509Certificate | undefined {
  try {
    return new X509Certificate(text);
  } catch {
    return undefined;
  }
}

/** Undefined for a text that is no private key. */
function parsePrivateKey(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text);
  } catch {
    return undefined;
  }
}

/** Written for services, and for the broker, which sees only its folder. */
async function writeAuthorities(folder: string, text: string): Promise<void> {
  await writeWhole(join(folder, keyFiles.authorities), text, { isSecret: false });
  await writeWhole(join(folder, keyFiles.brokerAuthorities), text, { isSecret: false });
}

/** Newest first; none where they were never written. */
async function readAuthorities(folder: string): Promise<readonly string[]> {
  const text = (await readIfThere(join(folder, keyFiles.authorities))) ?? "";
  return text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g) ?? [];
}

/** Names and addresses in a server's present certificate. @throws KeysError where it is damaged */
async function readHosts(folder: string, server: keyof ServerHosts): Promise<readonly string[]> {
  const path = join(folder, server, keyFiles.tlsCertificate);
  const text = await readIfThere(path);
  if (text === undefined) return [];
  const certificate = parseCertificate(text);
  if (certificate === undefined)
    throw new KeysError(
      `${path} is not valid. Restore it from a copy, or name the hosts for a new one: --${server}-hosts`,
    );
  const names = certificate.subjectAltName?.split(", ") ?? [];
  return names.flatMap((name) => /^(?:DNS|IP Address):(.+)$/.exec(name)?.[1] ?? []);
}
