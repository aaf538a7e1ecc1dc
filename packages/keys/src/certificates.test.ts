import { X509Certificate } from "node:crypto";
import { cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isAuthorityOf } from "@gatehouse/certificates/testing";
import { ServiceTls, serviceNames } from "@gatehouse/trust";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runKeysCommand } from "./keys-command.ts";

const now = Date.UTC(2026, 5, 1);
const dayMs = 86_400_000;
let folder: string;

async function run(args: readonly string[], at = now): Promise<void> {
  const lines: string[] = [];
  const note = (line: string) => void lines.push(line);
  const code = await runKeysCommand([...args, "--folder", folder], { out: note, err: note, wallNow: () => at });
  expect({ code, lines }).toMatchObject({ code: 0 });
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "gatehouse-certificates-"));
  await run([
    "init",
    "--database",
    "db.example:5432/gatehouse",
    "--nats-hosts",
    "nats,10.0.0.7",
    "--nats-tls",
    "/keys",
  ]);
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = (...path: string[]) => readFileSync(join(folder, ...path), "utf8");
const leafOf = (name: string) => new X509Certificate(read(name, "tls.crt"));
const authorities = () =>
  read("public", "authorities.pem").match(/-----BEGIN[^-]+-+[^-]+-----END CERTIFICATE-----\n/g) ?? [];
const isIssuedBy = (authority: string, certificate: string) =>
  isAuthorityOf({ certificate: authority, key: "" }, certificate);

test("each service has a certificate with its name, and each server one with its hosts", () => {
  for (const service of serviceNames) {
    const texts = { certificate: { text: read(service, "tls.crt") }, key: { text: read(service, "tls.key") } };
    expect(new ServiceTls({ ...texts, authorities: { text: read("public", "authorities.pem") } }).service).toBe(
      service,
    );
  }
  expect(leafOf("nats").subjectAltName).toBe("DNS:nats, IP Address:10.0.0.7");
  expect(leafOf("postgres").subjectAltName).toBe("DNS:db.example");
  expect(read("nats", "nats.conf")).toContain('cert_file: "/keys/tls.crt"');
  expect(read("nats", "authorities.pem")).toBe(read("public", "authorities.pem"));
});

test("rotate renews certificates under the same authority, of one service where one is named", async () => {
  const [chat, router, nats] = [read("chat", "tls.crt"), read("router", "tls.crt"), read("nats", "tls.crt")];
  const before = authorities();
  await run(["rotate", "chat"], now + dayMs);
  expect(read("chat", "tls.crt")).not.toBe(chat);
  expect([read("router", "tls.crt"), read("nats", "tls.crt")]).toEqual([router, nats]);
  await run(["rotate"], now + dayMs);
  expect(read("router", "tls.crt")).not.toBe(router);
  expect(leafOf("nats").subjectAltName).toBe("DNS:nats, IP Address:10.0.0.7");
  expect(authorities()).toEqual(before);
});

test("a new authority is trusted beside the old one until a rotation after the lead, and its certificates verify under both", async () => {
  const [first = ""] = authorities();
  await run(["rotate", "--authority"], now + dayMs);
  const [second = "", ...others] = authorities();
  expect(others).toEqual([first]);
  const [leaf = "", link = ""] = read("chat", "tls.crt").split(/(?<=END CERTIFICATE-----\n)/);
  expect([isIssuedBy(second, leaf), isIssuedBy(first, leaf), isIssuedBy(first, link)]).toEqual([true, false, true]);
  expect(new X509Certificate(link).publicKey.equals(new X509Certificate(second).publicKey)).toBe(true);
  // Within the lead nothing is dropped.
  await run(["rotate", "chat"], now + dayMs + 60_000);
  expect(authorities()).toHaveLength(2);
  expect(read("chat", "tls.crt").match(/BEGIN/g)).toHaveLength(2);
  await run(["rotate"], now + 2 * dayMs);
  expect(authorities()).toEqual([second]);
  expect(read("chat", "tls.crt").match(/BEGIN/g)).toHaveLength(1);
});

test("all authorities of the lead are trusted, and the newest certificate verifies under each", async () => {
  const [first = ""] = authorities();
  await run(["rotate", "--authority"], now + dayMs);
  const [second = ""] = authorities();
  await run(["rotate", "--authority"], now + dayMs + 60_000);
  const [third = "", ...others] = authorities();
  expect(others).toEqual([second, first]);
  const [leaf = "", toSecond = "", toFirst = ""] = read("chat", "tls.crt").split(/(?<=END CERTIFICATE-----\n)/);
  expect([isIssuedBy(third, leaf), isIssuedBy(second, toSecond), isIssuedBy(first, toFirst)]).toEqual([
    true,
    true,
    true,
  ]);
  expect(new X509Certificate(toSecond).publicKey.equals(new X509Certificate(third).publicKey)).toBe(true);
  expect(new X509Certificate(toFirst).publicKey.equals(new X509Certificate(second).publicKey)).toBe(true);
  await run(["rotate"], now + 3 * dayMs);
  expect(authorities()).toEqual([third]);
  expect(read("chat", "tls.crt").match(/BEGIN/g)).toHaveLength(1);
});

test("a rotation keeps the servers' names, or gives them those that it names", async () => {
  await run(["rotate"], now + dayMs);
  expect(leafOf("nats").subjectAltName).toBe("DNS:nats, IP Address:10.0.0.7");
  await run(["rotate", "--nats-hosts", "broker.example", "--postgres-hosts", "db-1,db-2"], now + 2 * dayMs);
  expect(leafOf("nats").subjectAltName).toBe("DNS:broker.example");
  expect(leafOf("postgres").subjectAltName).toBe("DNS:db-1, DNS:db-2");
});

test("a folder from an earlier version gets an authority and certificates by a rotation", async () => {
  for (const name of ["authority", "nats"]) rmSync(join(folder, name), { recursive: true });
  rmSync(join(folder, "public", "authorities.pem"));
  rmSync(join(folder, "chat", "tls.crt"));
  await run(["rotate", "--nats-hosts", "broker"], now + dayMs);
  expect(isIssuedBy(authorities()[0] ?? "", read("chat", "tls.crt"))).toBe(true);
  expect(leafOf("nats").subjectAltName).toBe("DNS:broker");
});

test.each([
  ["the public file", ["public"]],
  ["the link", ["public", "authority/link.crt"]],
  ["the authority's key", ["public", "authority/link.crt", "authority/authority.key"]],
  ["the authority", ["public", "authority"]],
])(
  "a rotation that ended after %s leaves all certificates trusted, and a later one completes it",
  async (_step, written) => {
    const folders = ["public", "authority", "chat", "router", "nats"];
    const before = mkdtempSync(join(tmpdir(), "gatehouse-before-"));
    const after = mkdtempSync(join(tmpdir(), "gatehouse-after-"));
    try {
      for (const name of folders) cpSync(join(folder, name), join(before, name), { recursive: true });
      const old = read("chat", "tls.crt");
      await run(["rotate", "--authority"], now + dayMs);
      for (const name of folders) cpSync(join(folder, name), join(after, name), { recursive: true });
      cpSync(before, folder, { recursive: true });
      for (const name of written) cpSync(join(after, name), join(folder, name), { recursive: true });
      // Files are distributed in any order: for a while, a service with the new ones meets a service with the old ones.
      for (const [args, days] of [
        [["rotate", "--authority"], 2],
        [["rotate"], 4],
      ] as const) {
        await run(args, now + days * dayMs);
        const leaves = read("chat", "tls.crt").split(/(?<=END CERTIFICATE-----\n)/);
        expect(authorities().some((authority) => isIssuedBy(authority, leaves[0] ?? ""))).toBe(true);
        if (days === 2) expect(authorities().some((authority) => isIssuedBy(authority, old))).toBe(true);
      }
      expect(authorities()).toHaveLength(1);
    } finally {
      for (const each of [before, after]) rmSync(each, { recursive: true });
    }
  },
);
