import { createHash, type KeyObject, randomBytes, sign, X509Certificate } from "node:crypto";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from "@peculiar/asn1-x509";

// Structures of RFC 5280; callers decide what is signed, and with which key.

/** Milliseconds of a year in validity periods, which has 365 days. */
export const yearMs = 365 * 86_400_000;

const ecdsaWithSha256 = "1.2.840.10045.4.3.2";
const commonNameId = "2.5.4.3";
const serialBytes = 16;
/** Tolerated difference between the clocks of two machines: certificates are valid from this long before their creation. */
export const clockSkewMs = 5 * 60_000;

interface CertificateParts {
  readonly subject: Name;
  readonly publicKey: KeyObject;
  readonly issuer: { readonly name: Name; readonly key: KeyObject; readonly publicKey: KeyObject };
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly extensions: readonly Extension[];
}

/** @returns PEM */
export function signCertificate({ subject, publicKey, issuer, extensions, ...times }: CertificateParts): string {
  const serial = randomBytes(serialBytes);
  // Positive, and of full length (section 4.1.2.2).
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: toArrayBuffer(serial),
    signature: new AlgorithmIdentifier({ algorithm: ecdsaWithSha256 }),
    issuer: issuer.name,
    validity: new Validity({ notBefore: new Date(times.notBefore - clockSkewMs), notAfter: new Date(times.notAfter) }),
    subject,
    subjectPublicKeyInfo: AsnConvert.parse(toSpki(publicKey), SubjectPublicKeyInfo),
    extensions: new Extensions([
      extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(keyIdentifier(publicKey))),
      extension(
        id_ce_authorityKeyIdentifier,
        new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(keyIdentifier(issuer.publicKey)) }),
      ),
      ...extensions,
    ]),
  });
  const certificate = new Certificate({
    tbsCertificate,
    signatureAlgorithm: new AlgorithmIdentifier({ algorithm: ecdsaWithSha256 }),
    signatureValue: toArrayBuffer(sign("sha256", Buffer.from(AsnConvert.serialize(tbsCertificate)), issuer.key)),
  });
  return new X509Certificate(Buffer.from(AsnConvert.serialize(certificate))).toString();
}

/** @param pem of a chain, the first certificate counts. */
export function readCertificate(pem: string): Certificate {
  return AsnConvert.parse(toArrayBuffer(new X509Certificate(pem).raw), Certificate);
}

/** Distinguished name with a common name (CN) as its only attribute, encoded as UTF8String. */
export function commonName(text: string): Name {
  const attribute = new AttributeTypeAndValue({
    type: commonNameId,
    value: new AttributeValue({ utf8String: text }),
  });
  return new Name([new RelativeDistinguishedName([attribute])]);
}

/** Extensions of an authority: it may sign certificates and revocation lists, and is not for TLS itself. */
export function authorityExtensions(): readonly Extension[] {
  return [
    extension(id_ce_basicConstraints, new BasicConstraints({ cA: true }), true),
    extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign), true),
  ];
}

interface AltNames {
  readonly uri?: string;
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
}

/** Extensions of a certificate for TLS servers and clients, with its alternative names. */
export function leafExtensions({ uri, dnsNames = [], ipAddresses = [] }: AltNames): readonly Extension[] {
  const names = [
    ...(uri === undefined ? [] : [new GeneralName({ uniformResourceIdentifier: uri })]),
    ...dnsNames.map((dNSName) => new GeneralName({ dNSName })),
    ...ipAddresses.map((iPAddress) => new GeneralName({ iPAddress })),
  ];
  return [
    extension(id_ce_basicConstraints, new BasicConstraints({ cA: false }), true),
    extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature), true),
    extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth, id_kp_clientAuth])),
    extension(id_ce_subjectAltName, new SubjectAlternativeName(names)),
  ];
}

function extension(extnID: string, value: unknown, critical = false): Extension {
  return new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

function keyIdentifier(key: KeyObject): ArrayBuffer {
  const { subjectPublicKey } = AsnConvert.parse(toSpki(key), SubjectPublicKeyInfo);
  return toArrayBuffer(createHash("sha1").update(Buffer.from(subjectPublicKey)).digest());
}

function toSpki(key: KeyObject): ArrayBuffer {
  return toArrayBuffer(key.export({ type: "spki", format: "der" }));
}

function toArrayBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}
