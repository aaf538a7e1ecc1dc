import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, X509Certificate } from "node:crypto";
import { authorityExtensions, commonName, readCertificate, signCertificate, yearMs } from "./x509.ts";

/** Certificate authority of an installation: its certificate and its private key (PKCS #8), both PEM. */
export interface Authority {
  readonly certificate: string;
  /** Never leaves the folder in which certificates are made. */
  readonly key: string;
}

/** Longer than the certificates that it signs; rotation replaces an authority before its end. */
const validYears = 10;
const nameBytes = 4;

/** Creates an authority (ECDSA P-256, self-signed) for leaf certificates; it signs other authorities only by {@link crossSign}. */
export function makeAuthority(now: number): Authority {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  // Unique names keep a peer with several authorities from checking a signature against the wrong one.
  const name = commonName(`Gatehouse authority ${randomBytes(nameBytes).toString("hex")}`);
  const certificate = signCertificate({
    subject: name,
    publicKey,
    issuer: { name, key: privateKey, publicKey },
    notBefore: now,
    notAfter: now + validYears * yearMs,
    extensions: authorityExtensions(),
  });
  return { certificate, key: String(privateKey.export({ type: "pkcs8", format: "pem" })) };
}

/**
 * The new authority's certificate, signed by the old one. A peer with only the old authority accepts a leaf of the new one
 * together with it, so the two may be distributed in any order.
 */
export function crossSign(added: Authority, old: Authority): string {
  const certificate = new X509Certificate(added.certificate);
  return signCertificate({
    subject: readCertificate(added.certificate).tbsCertificate.subject,
    publicKey: certificate.publicKey,
    issuer: issuerOf(old),
    notBefore: certificate.validFromDate.getTime(),
    notAfter: Math.min(certificate.validToDate.getTime(), new X509Certificate(old.certificate).validToDate.getTime()),
    extensions: authorityExtensions(),
  });
}

/** Name and keys of an authority, for signing. */
export function issuerOf({ certificate, key }: Authority) {
  const privateKey = createPrivateKey(key);
  return {
    name: readCertificate(certificate).tbsCertificate.subject,
    key: privateKey,
    publicKey: createPublicKey(privateKey),
  };
}
