import { generateKeyPairSync } from "node:crypto";
import { type Authority, issuerOf } from "./authority.ts";
import { commonName, leafExtensions, signCertificate } from "./x509.ts";

/** Contents of a leaf certificate: names (RFC 5280, section 4.2.1.6) and validity, both ends in milliseconds since 1970. */
export interface CertificateRequest {
  /** Name for people; no check uses it. */
  readonly commonName: string;
  /** URI of the holder, such as `spiffe://gatehouse/chat`. */
  readonly uri?: string;
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

/** PEM. */
export interface IssuedCertificate {
  /** The certificate, then links to authorities that peers may trust. */
  readonly certificate: string;
  readonly key: string;
}

/**
 * Creates a key (ECDSA P-256) and a certificate for TLS servers and clients.
 * @param chain cross-signed certificates of the authority, PEM; may be empty.
 */
export function issueCertificate(authority: Authority, request: CertificateRequest, chain = ""): IssuedCertificate {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { notBefore, notAfter } = request;
  const certificate = signCertificate({
    subject: commonName(request.commonName),
    publicKey,
    issuer: issuerOf(authority),
    notBefore,
    notAfter,
    extensions: leafExtensions(request),
  });
  return { certificate: certificate + chain, key: String(privateKey.export({ type: "pkcs8", format: "pem" })) };
}
