import { createPrivateKey, createPublicKey, generateKeyPairSync, randomBytes, X509Certificate } from "node:crypto";
import { authorityExtensions, commonName, readCertificate, signCertificate, yearMs } from "./x509.ts";

/** A certificate authority of one installation, PEM. */
export interface Authority {
  readonly certificate: string;
  /** Never leaves the folder in which certificates are made. */
  readonly key: string;
}

/** An authority outlives many of the certificates that it signs; it is replaced by a rotation, not by its end. */
const validYears = 10;
const nameBytes = 4;

/** Makes an authority (ECDSA P-256, self-signed) that may sign certificates, and no further authorities but by {@link crossSign}. */
export function makeAuthority(now: number): Authority {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  // A name apart for each: a peer that knows two of them looks no signature up under the wrong one.
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
 * The new authority's certificate signed by the old one. A leaf of the new authority that is shown together with it is accepted by a
 * peer that knows only the old one, so the two may be learnt in any order.
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

/** The part of an authority that signing needs: name and keys. */
export function issuerOf({ certificate, key }: Authority) {
  const privateKey = createPrivateKey(key);
  return {
    name: readCertificate(certificate).tbsCertificate.subject,
    key: privateKey,
    publicKey: createPublicKey(privateKey),
  };
}
