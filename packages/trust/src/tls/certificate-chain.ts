import { X509Certificate } from "node:crypto";

const certificateForm =
  /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^]+?-----END (?:X509 |TRUSTED )?CERTIFICATE-----/g;

/** Certificates of a PEM text, in its order. @throws Error for a text without one, or with a damaged one. */
export function readCertificates(pem: string): readonly [X509Certificate, ...X509Certificate[]] {
  const [first = pem, ...others] = pem.match(certificateForm) ?? [];
  return [new X509Certificate(first), ...others.map((text) => new X509Certificate(text))];
}

/** A service's certificate, then the links to its authority; and the authorities of its peers. */
interface Chain {
  readonly certificates: readonly [X509Certificate, ...X509Certificate[]];
  readonly authorities: readonly X509Certificate[];
}

/**
 * Problem of a certificate that every peer with these authorities would refuse: it is not valid yet, or no valid chain links it to
 * one of them, as TLS requires (RFC 5280, section 6). Undefined where there is none, and for a certificate that has merely expired.
 * @param nowMs milliseconds since 1970
 */
export function findChainProblem({ certificates, authorities }: Chain, nowMs: number): string | undefined {
  const [leaf, ...links] = certificates;
  const beginsAt = leaf.validFromDate;
  if (beginsAt.getTime() > nowMs) return `the certificate is not valid before ${beginsAt.toISOString()}`;
  const isValidNow = (issuer: X509Certificate) => isValid(issuer, nowMs);
  const issuers = [...authorities, ...links.filter(({ ca }) => ca)];
  if (isCovered(leaf, authorities.filter(isValidNow), issuers.filter(isValidNow))) return undefined;
  return isCovered(leaf, authorities, issuers)
    ? "the certificate's authority, or a link to it, is not valid now"
    : "none of the authorities has signed the certificate, so every other service would refuse it";
}

/**
 * Whether a chain leads from a certificate to one of the authorities that signs itself.
 * @param issuers certificates that may be steps of the chain; each is one once
 */
function isCovered(
  certificate: X509Certificate,
  authorities: readonly X509Certificate[],
  issuers: readonly X509Certificate[],
): boolean {
  if (isSignedBy(certificate, certificate)) return authorities.some(({ raw }) => raw.equals(certificate.raw));
  const next = issuers.filter((issuer) => isSignedBy(certificate, issuer));
  return next.some((issuer) =>
    isCovered(
      issuer,
      authorities,
      issuers.filter((other) => other !== issuer),
    ),
  );
}

function isSignedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
}

function isValid({ validFromDate, validToDate }: X509Certificate, nowMs: number): boolean {
  return validFromDate.getTime() <= nowMs && nowMs < validToDate.getTime();
}
