export { type Authority, crossSign, makeAuthority } from "./authority.ts";
export { type CertificateRequest, type IssuedCertificate, issueCertificate } from "./issue-certificate.ts";
export { clockSkewMs } from "./x509.ts";
