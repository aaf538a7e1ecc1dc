import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lookEveryMs, ServiceTls } from "@gatehouse/trust";
import { expect, test } from "vitest";
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
