import { X509Certificate } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { lookEveryMs, type ServiceName, ServiceTls, uriOfService } from "@gatehouse/trust";
import { type Authority, crossSign, makeAuthority } from "./authority.ts";
import { issueCertificate, type IssuedCertificate } from "./issue-certificate.ts";

export interface TestCertificates {
  readonly authority: Authority;
  /** A certificate of a service with the given life, milliseconds. */
  issue(service: ServiceName, lifeMs?: number): IssuedCertificate;
  /** TLS material of a service, as server and client; it trusts this authority alone. */
  of(service: ServiceName, issued?: IssuedCertificate): ServiceTls;
}

const hourMs = 3_600_000;

/** An authority with certificates for an hour; two such authorities do not trust each other. */
export function createTestCertificates(): TestCertificates {
  const now = Date.now();
  const authority = makeAuthority(now);
  const issue = (service: ServiceName, lifeMs = hourMs) =>
    issueCertificate(authority, {
      commonName: service,
      uri: uriOfService(service),
      dnsNames: [service],
      notBefore: now,
      notAfter: now + lifeMs,
    });
  return {
    authority,
    issue,
    of(service, { certificate, key } = issue(service)) {
      return new ServiceTls({
        certificate: { text: certificate },
        key: { text: key },
        authorities: { text: authority.certificate },
      });
    },
  };
}

/** Certificates in files, which a test changes while services use them. */
export class FollowedCertificates {
  readonly #folder: string;
  readonly #services: readonly ServiceName[];
  readonly #opened: ServiceTls[] = [];
  #authorities: readonly Authority[] = [makeAuthority(Date.now())];
  #aheadMs = 0;

  constructor(folder: string, services: readonly ServiceName[]) {
    this.#folder = folder;
    this.#services = services;
    this.#writeAuthorities();
    for (const service of services) this.#writeLeaf(service, "");
  }

  /** Settings of a service's files. */
  env(service: ServiceName): Readonly<Record<string, string>> {
    const { certificate, key, authorities } = this.#pathsOf(service);
    return {
      GATEHOUSE_TLS_CERTIFICATE_FILE: certificate,
      GATEHOUSE_TLS_KEY_FILE: key,
      GATEHOUSE_TLS_CA_FILE: authorities,
    };
  }

  of(service: ServiceName): ServiceTls {
    const { certificate, key, authorities } = this.#pathsOf(service);
    const source = (path: string) => ({ path, text: readFileSync(path, "utf8") });
    const sources = { certificate: source(certificate), key: source(key), authorities: source(authorities) };
    const tls = new ServiceTls(sources, () => Date.now() + this.#aheadMs);
    this.#opened.push(tls);
    return tls;
  }

  /** Rotates: a new authority signs a new certificate of each service; all services see each step before the next. */
  rotate(): void {
    const [old] = this.#authorities;
    if (old === undefined) throw new Error("There is no authority.");
    const added = makeAuthority(Date.now());
    this.#authorities = [added, old];
    const link = crossSign(added, old);
    for (const service of this.#services) {
      this.#writeLeaf(service, link);
      this.#look();
    }
    this.#writeAuthorities();
    this.#look();
  }

  /** Removes the old authority. */
  dropOld(): void {
    this.#authorities = this.#authorities.slice(0, 1);
    this.#writeAuthorities();
    this.#look();
  }

  #look(): void {
    this.#aheadMs += lookEveryMs;
    for (const tls of this.#opened) tls.current();
  }

  #pathsOf(service: ServiceName) {
    const folder = join(this.#folder, service);
    const authorities = join(this.#folder, "authorities.pem");
    return { certificate: join(folder, "tls.crt"), key: join(folder, "tls.key"), authorities };
  }

  #writeAuthorities(): void {
    const text = this.#authorities.map(({ certificate }) => certificate).join("");
    write(join(this.#folder, "authorities.pem"), text);
  }

  #writeLeaf(service: ServiceName, chain: string): void {
    const [authority] = this.#authorities;
    if (authority === undefined) throw new Error("There is no authority.");
    const request = { commonName: service, uri: uriOfService(service), dnsNames: [service] };
    const times = { notBefore: Date.now(), notAfter: Date.now() + hourMs };
    const issued = issueCertificate(authority, { ...request, ...times }, chain);
    const { certificate, key } = this.#pathsOf(service);
    mkdirSync(join(this.#folder, service), { recursive: true });
    write(key, issued.key);
    write(certificate, issued.certificate);
  }
}

function write(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

/** Whether an authority has signed a certificate. @param certificate PEM; of a chain the first counts. */
export function isAuthorityOf(authority: Authority, certificate: string): boolean {
  const [issuer, leaf] = [new X509Certificate(authority.certificate), new X509Certificate(certificate)];
  return leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey);
}
