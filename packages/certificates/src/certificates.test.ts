import { X509Certificate } from "node:crypto";
import { expect, test } from "vitest";
import { crossSign, issueCertificate, makeAuthority } from "./index.ts";
import { isAuthorityOf } from "./testing.ts";

const now = Date.UTC(2026, 0, 1);
const hourMs = 3_600_000;

test("a certificate has the requested names and lifetime, and its authority is the one that signed it", () => {
  const [authority, other] = [makeAuthority(now), makeAuthority(now)];
  const request = {
    commonName: "chat",
    uri: "spiffe://gatehouse/chat",
    dnsNames: ["chat", "localhost"],
    ipAddresses: ["127.0.0.1", "::1"],
    notBefore: now,
    notAfter: now + hourMs,
  };
  const { certificate, key } = issueCertificate(authority, request);
  const leaf = new X509Certificate(certificate);
  expect(leaf.subjectAltName).toBe(
    "URI:spiffe://gatehouse/chat, DNS:chat, DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1",
  );
  expect(leaf.validToDate.getTime()).toBe(now + hourMs);
  expect(leaf.ca).toBe(false);
  expect(key).toContain("BEGIN PRIVATE KEY");
  expect(isAuthorityOf(authority, certificate)).toBe(true);
  expect(isAuthorityOf(other, certificate)).toBe(false);
});

test("a cross-signed authority links the new authority to the old one", () => {
  const [old, added] = [makeAuthority(now), makeAuthority(now)];
  const link = crossSign(added, old);
  const request = { commonName: "chat", notBefore: now, notAfter: now + hourMs };
  const { certificate } = issueCertificate(added, request, link);
  expect(isAuthorityOf(added, certificate)).toBe(true);
  expect(isAuthorityOf(old, link)).toBe(true);
  expect(new X509Certificate(link).subject).toBe(new X509Certificate(added.certificate).subject);
  expect(certificate.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
});
