import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lookEveryMs, ServiceTls } from "@gatehouse/trust";
import { expect, test } from "vitest";
import { crossSign, makeAuthority } from "./authority.ts";
import { issueCertificate, type IssuedCertificate } from "./issue-certificate.ts";
import { createTestCertificates } from "./testing.ts";

const certificates = createTestCertificates();
const dayMs = 86_400_000;

test("a certificate names its service; its expiry is a notice before and a problem afterwards", () => {
  const { certificate, key } = certificates.issue("chat", 100 * dayMs);
  const clock = { nowMs: Date.now() };
  const texts = { certificate: { text: certificate }, key: { text: key } };
  const tls = new ServiceTls(
    { ...texts, authorities: { text: certificates.authority.certificate } },
    () => clock.nowMs,
  );
  expect(tls.service).toBe("chat");
  expect([tls.problems(), tls.notices()]).toEqual([[], []]);
  clock.nowMs += 80 * dayMs;
  expect([tls.problems(), tls.notices()]).toEqual([[], ["the service's certificate expires in 20 day(s)"]]);
  clock.nowMs += 21 * dayMs;
  expect([tls.problems(), tls.notices()]).toEqual([["the service's certificate has expired"], []]);
});

test("a certificate, key and authorities that do not match are refused without their content", () => {
  const [one, two] = [certificates.issue("chat"), certificates.issue("chat")];
  const open = (certificate: string, key: string, authorities = certificates.authority.certificate) =>
    new ServiceTls({ certificate: { text: certificate }, key: { text: key }, authorities: { text: authorities } });
  expect(() => open(one.certificate, two.key)).toThrow(
    "the key is not a PEM private key, or does not belong to the certificate",
  );
  expect(() => open("x", one.key)).toThrow("the certificate is not a PEM certificate");
  expect(() => open(one.certificate, one.key, "x")).toThrow("the authorities are not PEM certificates");
  expect(() => open(certificates.authority.certificate, certificates.authority.key)).toThrow("names no service");
});

function open(chain: string, key: string, authorities: string, nowMs = Date.now()): ServiceTls {
  const sources = { certificate: { text: chain }, key: { text: key }, authorities: { text: authorities } };
  return new ServiceTls(sources, () => nowMs);
}

test("a certificate that no authority covers, or that is not valid yet, is refused", () => {
  const { certificate, key } = certificates.issue("chat", 100 * dayMs);
  const { certificate: own } = certificates.authority;
  const other = makeAuthority(Date.now());
  expect(() => open(certificate, key, other.certificate)).toThrow("none of the authorities has signed the certificate");
  expect(open(certificate, key, other.certificate + own).service).toBe("chat");
  expect(() => open(certificate, key, own, Date.now() - dayMs)).toThrow("the certificate is not valid before 20");
  const afterAuthority = Date.now() + 4_000 * dayMs;
  const late = certificates.issue("chat", 5_000 * dayMs);
  expect(() => open(late.certificate, late.key, own, afterAuthority)).toThrow(
    "authority, or a link to it, is not valid",
  );
});

test("a certificate of a new authority is covered by the old one through its link, in either file", () => {
  const added = makeAuthority(Date.now());
  const link = crossSign(added, certificates.authority);
  const times = { notBefore: Date.now(), notAfter: Date.now() + dayMs };
  const request = { commonName: "chat", uri: "spiffe://gatehouse/chat", ...times };
  const { certificate, key } = issueCertificate(added, request);
  const { certificate: own } = certificates.authority;
  expect(() => open(certificate, key, own)).toThrow("none of the authorities");
  expect(open(certificate + link, key, own).service).toBe("chat");
  expect(open(certificate, key, link + own).service).toBe("chat");
  expect(open(certificate + link, key, added.certificate).service).toBe("chat");
  expect(() => open(certificate, key, link)).toThrow("none of the authorities");
});

test("a file that is replaced by a certificate which others would refuse leaves the last good one", () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-certificates-"));
  try {
    const clock = { nowMs: Date.now() };
    const source = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return { path: join(folder, name), text };
    };
    const good = certificates.issue("chat", 100 * dayMs);
    const authorities = source("ca", certificates.authority.certificate);
    const sources = { certificate: source("crt", good.certificate), key: source("key", good.key), authorities };
    const tls = new ServiceTls(sources, () => clock.nowMs);
    const replaced = ({ certificate, key }: IssuedCertificate) => {
      source("crt", `${certificate}\n`);
      source("key", `${key}\n`);
      clock.nowMs += lookEveryMs;
      return {
        isKept: tls.current().options.cert === good.certificate,
        problems: tls.problems(),
        notices: tls.notices(),
      };
    };
    const kept = (notice: string) => ({ isKept: true, problems: [], notices: [expect.stringContaining(notice)] });
    expect(replaced(createTestCertificates().issue("chat", 100 * dayMs))).toEqual(kept("none of the authorities"));
    expect(replaced(certificates.issue("chat", -1_000))).toEqual(kept("the certificate has expired"));
    expect(replaced(certificates.issue("chat", 90 * dayMs))).toEqual({ isKept: false, problems: [], notices: [] });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("files that change one by one take effect once they match, and servers are notified", () => {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-certificates-"));
  try {
    const [one, two] = [certificates.issue("chat", 100 * dayMs), certificates.issue("chat", 100 * dayMs)];
    const clock = { nowMs: Date.now() };
    const source = (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
      return { path: join(folder, name), text };
    };
    const authorities = source("ca", certificates.authority.certificate);
    const sources = { certificate: source("crt", one.certificate), key: source("key", one.key), authorities };
    const tls = new ServiceTls(sources, () => clock.nowMs);
    const heard: unknown[] = [];
    const stop = tls.onChange(({ options }) => heard.push(options.cert));
    source("key", `${two.key}\n`);
    clock.nowMs += lookEveryMs;
    expect(tls.current().options.cert).toBe(one.certificate);
    expect(tls.notices()).toEqual([expect.stringContaining("does not belong to the certificate")]);
    source("crt", two.certificate);
    clock.nowMs += lookEveryMs;
    expect(tls.current().options.cert).toBe(two.certificate);
    expect([tls.notices(), heard]).toEqual([[], [two.certificate]]);
    const other = certificates.issue("guardrail", 100 * dayMs);
    source("key", other.key);
    source("crt", other.certificate);
    clock.nowMs += lookEveryMs;
    expect(tls.service).toBe("chat");
    expect(tls.notices()).toEqual([
      expect.stringContaining("the certificate belongs to the service guardrail, but this service is chat"),
    ]);
    stop();
  } finally {
    rmSync(folder, { recursive: true });
  }
});
