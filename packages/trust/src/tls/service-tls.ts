import { constants } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import { Followed, type KeySource, lookEveryMs } from "../key-source.ts";
import type { ServiceName } from "../service-names.ts";
import type { Clock } from "../service-trust.ts";
import { findChainProblem, readCertificates } from "./certificate-chain.ts";
import { serviceOfAltNames } from "./peer-certificate.ts";

/** PEM texts, usually in files. */
export interface TlsSources {
  /** The service's certificate, and those that link it to an authority. */
  readonly certificate: KeySource;
  readonly key: KeySource;
  /** Trusted authorities; several during a rotation. */
  readonly authorities: KeySource;
}

/** Options of the platform's TLS; the first three are PEM. */
export interface TlsOptions {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  readonly minVersion: "TLSv1.3";
  readonly secureOptions: number;
}

/** The certificates at one moment. */
export interface TlsMaterial {
  readonly service: ServiceName;
  /** For TLS servers and clients; `requestCert` is for servers. */
  readonly options: TlsOptions;
  readonly context: SecureContext;
  /** End of the service's certificate, milliseconds since 1970. */
  readonly endsAt: number;
}

const dayMs = 86_400_000;
/** Days before the end of a certificate during which `/readyz` has a notice. */
const noticeDays = 30;

/**
 * Certificate of a service, and the authorities of its peers. Files are followed: a change applies to new connections within
 * {@link lookEveryMs}.
 */
export class ServiceTls {
  readonly #followed: Followed<TlsMaterial>;
  readonly #wallNow: Clock;
  readonly #listeners = new Set<(material: TlsMaterial) => void>();
  #seen: TlsMaterial;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @throws Error for texts that are not certificates, do not belong together, or name no service; and for a certificate that no
   * authority covers, or that is not valid yet. An expired one is a problem of readiness.
   */
  constructor({ certificate, key, authorities }: TlsSources, wallNow: Clock = Date.now) {
    this.#wallNow = wallNow;
    this.#seen = toMaterial([certificate.text, key.text, authorities.text], wallNow());
    const { service } = this.#seen;
    this.#followed = new Followed([certificate, key, authorities], (...texts) => this.#replace(service, texts));
    this.#seen = this.#followed.get(wallNow());
  }

  get service(): ServiceName {
    return this.current().service;
  }

  current(): TlsMaterial {
    const material = this.#followed.get(this.#wallNow());
    if (material !== this.#seen) {
      this.#seen = material;
      for (const listener of this.#listeners) listener(material);
    }
    return material;
  }

  /** @throws Error for another service's certificate or an expired one, which others would refuse. */
  #replace(service: ServiceName, texts: readonly string[]): TlsMaterial {
    const nowMs = this.#wallNow();
    const material = toMaterial(texts, nowMs);
    if (material.service !== service)
      throw new Error(`the certificate belongs to the service ${material.service}, but this service is ${service}`);
    if (material.endsAt <= nowMs && nowMs < this.#seen.endsAt) throw new Error("the certificate has expired");
    return material;
  }

  /** Subscribes to changes of the certificates, for servers that hold them. @returns a function that ends the subscription. */
  onChange(listener: (material: TlsMaterial) => void): () => void {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => this.current(), lookEveryMs).unref();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  /** For `/readyz`: others refuse a service with an expired certificate. */
  problems(): readonly string[] {
    return this.current().endsAt <= this.#wallNow() ? ["the service's certificate has expired"] : [];
  }

  /** Messages for operators. */
  notices(): readonly string[] {
    const days = Math.ceil((this.current().endsAt - this.#wallNow()) / dayMs);
    return [
      ...(days > 0 && days <= noticeDays ? [`the service's certificate expires in ${days} day(s)`] : []),
      ...(this.#followed.problem === undefined
        ? []
        : [`the files of the service's certificate: ${this.#followed.problem}`]),
    ];
  }
}

function toMaterial([certificate = "", key = "", authorities = ""]: readonly string[], nowMs: number): TlsMaterial {
  const certificates = orProblem(() => readCertificates(certificate), "the certificate is not a PEM certificate");
  const [leaf] = certificates;
  const service = serviceOfAltNames(leaf.subjectAltName);
  if (service === undefined) throw new Error("the certificate names no service (spiffe://gatehouse/…)");
  const trusted = orProblem(() => readCertificates(authorities), "the authorities are not PEM certificates");
  const options = {
    ca: authorities,
    cert: certificate,
    key,
    minVersion: "TLSv1.3",
    // A resumed session would outlive its certificate.
    secureOptions: constants.SSL_OP_NO_TICKET,
  } as const;
  const context = orProblem(
    () => createSecureContext(options),
    "the key is not a PEM private key, or does not belong to the certificate",
  );
  const problem = findChainProblem({ certificates, authorities: trusted }, nowMs);
  if (problem !== undefined) throw new Error(problem);
  return { service, options, context, endsAt: leaf.validToDate.getTime() };
}

/** Replaces the platform's message, which may quote a key. */
function orProblem<T>(read: () => T, problem: string): T {
  try {
    return read();
  } catch {
    throw new Error(problem);
  }
}
