import { X509Certificate } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseServiceKeys, parseTrust, serviceNames, ServiceTrust } from "@gatehouse/trust";
import { afterEach, expect, test } from "vitest";
import { runKeysCommand } from "./keys-command.ts";

const folders: string[] = [];
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })));

async function run(args: readonly string[], now = 1_000_000) {
  const lines: string[] = [];
  const code = await runKeysCommand(args, {
    out: (line) => lines.push(line),
    err: (line) => lines.push(line),
    wallNow: () => now,
  });
  return { code, text: lines.join("\n") };
}

async function initialised(): Promise<string> {
  const folder = join(mkdtempSync(join(tmpdir(), "gatehouse-keys-")), "keys");
  folders.push(join(folder, ".."));
  expect(await run(["init", "--folder", folder])).toMatchObject({ code: 0 });
  return folder;
}

const read = (...path: string[]) => readFileSync(join(...path), "utf8");

test("init writes the files of each service, with secrets for the owner alone", async () => {
  const folder = await initialised();
  expect(readdirSync(folder).toSorted()).toEqual(
    [...serviceNames, "authority", "migration", "nats", "postgres", "public"].toSorted(),
  );
  for (const name of serviceNames) {
    for (const file of readdirSync(join(folder, name))) expect(statSync(join(folder, name, file)).mode & 0o077).toBe(0);
  }
  expect(readdirSync(join(folder, "chat")).toSorted()).toEqual(
    ["database-url", "keyring", "nats-seed", "service-key.json", "tls.crt", "tls.key"].toSorted(),
  );
  expect(read(folder, "mcp-bridge", "database-url")).toMatch(
    /^postgresql:\/\/gatehouse_mcp_bridge:[\w-]{32}@postgres:5432\/gatehouse\n$/,
  );
  expect(readdirSync(join(folder, "router")).toSorted()).toEqual([
    "nats-seed",
    "service-key.json",
    "tls.crt",
    "tls.key",
  ]);
  // A running service cannot get the role that owns its schema.
  for (const name of serviceNames) {
    for (const file of readdirSync(join(folder, name))) expect(read(folder, name, file)).not.toContain("_owner:");
    if (name === "router") continue;
    expect(read(folder, "migration", name)).toMatch(
      /^postgresql:\/\/gatehouse_\w+_owner:[\w-]{32}@postgres:5432\/gatehouse\n$/,
    );
    expect(statSync(join(folder, "migration", name)).mode & 0o077).toBe(0);
  }
  // Public files hold no secret: passwords and seeds are in the services' folders alone.
  const open =
    read(folder, "nats", "nats.conf") + read(folder, "public", "trust.json") + read(folder, "postgres", "roles.sql");
  expect(open + read(folder, "public", "authorities.pem")).not.toContain("PRIVATE KEY");
  for (const name of serviceNames) {
    expect(open).not.toContain(read(folder, name, "nats-seed").trim());
    if (name === "router") continue;
    expect(open).not.toContain(new URL(read(folder, name, "database-url")).password);
  }
});

test("services of one folder accept each other's signatures", async () => {
  const folder = await initialised();
  const trust = (name: string) =>
    new ServiceTrust({ text: read(folder, name, "service-key.json") }, { text: read(folder, "public", "trust.json") });
  expect(trust("guardrail").verify("identity", trust("chat").sign("identity", "x"))?.service).toBe("chat");
});

test("init overwrites nothing", async () => {
  const folder = await initialised();
  const before = read(folder, "public", "trust.json");
  expect(await run(["init", "--folder", folder])).toMatchObject({ code: 1, text: expect.stringContaining("rotate") });
  expect(read(folder, "public", "trust.json")).toBe(before);
});

test("init keeps the keys of sealed secrets when only the trust file is missing", async () => {
  const folder = await initialised();
  const kept = () => [read(folder, "chat", "keyring"), read(folder, "logbook", "checkpoint-key")];
  const before = kept();
  rmSync(join(folder, "public"), { recursive: true });
  expect(await run(["init", "--folder", folder])).toMatchObject({ code: 0 });
  expect(kept()).toEqual(before);
});

test("rotate changes nothing when a service's keys cannot be read", async () => {
  const folder = await initialised();
  const contents = () => [read(folder, "public", "trust.json"), read(folder, "chat", "service-key.json")];
  const before = contents();
  rmSync(join(folder, "logbook", "service-key.json"));
  expect(await run(["rotate", "--folder", folder])).toMatchObject({
    code: 1,
    text: expect.stringContaining("logbook"),
  });
  expect(contents()).toEqual(before);
});

test("a lost key is replaced by one that signs at once, if its service is named, as the refusal says", async () => {
  const folder = await initialised();
  const path = join(folder, "chat", "service-key.json");
  rmSync(path);
  const remedy = "Restore it from a copy, or make a new key: gatehouse keys rotate chat";
  expect(await run(["rotate", "--folder", folder])).toEqual({ code: 1, text: `${path} is missing. ${remedy}` });
  const replaced = await run(["rotate", "--folder", folder, "chat"]);
  expect(replaced).toMatchObject({ code: 0, text: expect.stringContaining("chat had no valid key") });
  const { keys } = parseServiceKeys(read(folder, "chat", "service-key.json"));
  expect(keys.map(({ signsFrom }) => signsFrom)).toEqual([0]);
  const known = parseTrust(read(folder, "public", "trust.json")).filter(({ service }) => service === "chat");
  expect(known.map(({ id, notAfter }) => [id === keys[0]?.id, notAfter === undefined])).toEqual([
    [false, false],
    [true, true],
  ]);
});

test("a key file that has only expired keys gets one that signs at once", async () => {
  const folder = await initialised();
  const old = read(folder, "chat", "service-key.json");
  await run(["rotate", "--folder", folder]);
  writeFileSync(join(folder, "chat", "service-key.json"), old);
  const later = 1_000_000 + 60 * 60_000;
  expect(await run(["rotate", "--folder", folder], later)).toMatchObject({
    code: 0,
    text: expect.stringContaining("chat had no valid key"),
  });
  expect(parseServiceKeys(read(folder, "chat", "service-key.json")).keys.map(({ signsFrom }) => signsFrom)).toEqual([
    0,
  ]);
});

test.each([
  ["is not valid", "garbage"],
  ["has the keys of router", undefined],
])("rotate changes nothing where a key file %s", async (problem, text) => {
  const folder = await initialised();
  const path = join(folder, "chat", "service-key.json");
  writeFileSync(path, text ?? read(folder, "router", "service-key.json"));
  const contents = () => ["public/trust.json", "router/service-key.json"].map((file) => read(folder, file));
  const before = contents();
  const remedy = "Restore it from a copy; without one, remove it and make a new key: gatehouse keys rotate chat";
  for (const names of [[], ["chat"]])
    expect(await run(["rotate", "--folder", folder, ...names])).toEqual({
      code: 1,
      text: `${path} ${problem}. ${remedy}`,
    });
  expect(contents()).toEqual(before);
});

test.each([
  ["authority/authority.key", undefined, "is missing"],
  ["authority/authority.key", "garbage", "is not valid"],
  ["nats/tls.crt", "garbage", "is not valid"],
])("rotate makes no other authority and changes nothing where %s is lost: %s", async (file, text, problem) => {
  const folder = await initialised();
  const path = join(folder, file);
  rmSync(path);
  if (text !== undefined) writeFileSync(path, text);
  const files = [
    "public/trust.json",
    "public/authorities.pem",
    "chat/service-key.json",
    "chat/tls.crt",
    "router/tls.crt",
  ];
  const contents = () => files.map((each) => read(folder, each));
  const before = contents();
  for (const names of [[], ["chat"]]) {
    const { code, text: said } = await run(["rotate", "--folder", folder, ...names]);
    expect([code, said]).toEqual([1, expect.stringContaining(`${path} ${problem}`)]);
    expect(said).toContain("Restore it from a copy");
  }
  expect(contents()).toEqual(before);
});

test("a folder of authority/ that was moved away is missed, also for a single service", async () => {
  const folder = await initialised();
  rmSync(join(folder, "authority"), { recursive: true });
  const before = read(folder, "public", "authorities.pem");
  expect(await run(["rotate", "--folder", folder, "chat"])).toMatchObject({ code: 1 });
  expect(read(folder, "public", "authorities.pem")).toBe(before);
  // The way out that the refusal names.
  rmSync(join(folder, "public", "authorities.pem"));
  expect(await run(["rotate", "--folder", folder])).toMatchObject({ code: 0 });
  expect(read(folder, "public", "authorities.pem")).not.toBe(before);
});

test("the authority's lost certificate is found among the authorities", async () => {
  const folder = await initialised();
  const before = read(folder, "public", "authorities.pem");
  rmSync(join(folder, "authority", "authority.crt"));
  expect(await run(["rotate", "--folder", folder])).toMatchObject({ code: 0 });
  expect(read(folder, "authority", "authority.crt")).toBe(before);
});

test("a damaged certificate of a service is replaced", async () => {
  const folder = await initialised();
  writeFileSync(join(folder, "chat", "tls.crt"), "garbage");
  expect(await run(["rotate", "--folder", folder], Date.now() + 60 * 60_000)).toMatchObject({ code: 0 });
  expect(new X509Certificate(read(folder, "chat", "tls.crt")).subjectAltName).toContain("spiffe://gatehouse/chat");
});

test("a damaged trust file is refused with a way out", async () => {
  const folder = await initialised();
  const path = join(folder, "public", "trust.json");
  writeFileSync(path, "garbage");
  const remedy =
    "Restore it from a copy, such as that of a service; without one, remove it and run gatehouse keys init";
  expect(await run(["rotate", "--folder", folder])).toMatchObject({
    code: 1,
    text: expect.stringContaining(`${path} is not valid. ${remedy}`),
  });
});

test("rotate gives each service a second key that signs later, and the first key an expiry after that", async () => {
  const folder = await initialised();
  const minuteMs = 60_000;
  expect(await run(["rotate", "--folder", folder, "--lead-minutes", "5"])).toMatchObject({ code: 0 });
  const { keys } = parseServiceKeys(read(folder, "chat", "service-key.json"));
  expect(keys.map(({ signsFrom }) => signsFrom)).toEqual([0, 1_000_000 + 5 * minuteMs]);
  const known = parseTrust(read(folder, "public", "trust.json")).filter(({ service }) => service === "chat");
  expect(known.map(({ notAfter }) => notAfter)).toEqual([1_000_000 + 10 * minuteMs, undefined]);
  // The next rotation removes expired keys.
  await run(["rotate", "--folder", folder, "chat"], 1_000_000 + 11 * minuteMs);
  expect(parseServiceKeys(read(folder, "chat", "service-key.json")).keys).toHaveLength(2);
  expect(parseTrust(read(folder, "public", "trust.json")).filter(({ service }) => service === "router")).toHaveLength(
    1,
  );
});

/** A folder in the form of an earlier version. */
async function initialisedBefore(): Promise<string> {
  const folder = await initialised();
  for (const name of readdirSync(join(folder, "migration")))
    renameSync(join(folder, "migration", name), join(folder, name, "migration-url"));
  rmSync(join(folder, "migration"), { recursive: true });
  return folder;
}

test.each(["init", "rotate"])("%s moves migration URLs out of the services' folders once", async (command) => {
  const folder = await initialisedBefore();
  const before = read(folder, "chat", "migration-url");
  chmodSync(join(folder, "chat", "migration-url"), 0o644);
  const trust = read(folder, "public", "trust.json");
  const { code, text } = await run([command, "--folder", folder]);
  expect(code).toBe(0);
  expect(text).toContain("Moved chat/migration-url to migration/chat");
  expect(text).not.toContain(new URL(before).password);
  expect(read(folder, "migration", "chat")).toBe(before);
  expect(statSync(join(folder, "migration", "chat")).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, "migration")).mode & 0o777).toBe(0o700);
  for (const name of serviceNames) expect(existsSync(join(folder, name, "migration-url"))).toBe(false);
  if (command === "init") expect(read(folder, "public", "trust.json")).toBe(trust);
  expect((await run([command, "--folder", folder])).text).not.toContain("Moved");
});

test("a present migration URL is not replaced by one from an earlier version", async () => {
  const folder = await initialised();
  const [present, equal] = [read(folder, "migration", "chat"), read(folder, "migration", "logbook")];
  writeFileSync(join(folder, "chat", "migration-url"), "postgresql://old");
  writeFileSync(join(folder, "logbook", "migration-url"), equal);
  expect((await run(["init", "--folder", folder])).text).toContain("Delete chat/migration-url");
  expect(read(folder, "migration", "chat")).toBe(present);
  expect(readdirSync(join(folder, "logbook"))).not.toContain("migration-url");
});

test("servers of a cluster accept only each other's certificates, which name all of them", async () => {
  const folder = join(mkdtempSync(join(tmpdir(), "gatehouse-keys-")), "keys");
  folders.push(join(folder, ".."));
  const args = ["init", "--folder", folder, "--nats-cluster", "n-0,n-1,n-2", "--nats-hosts", "nats.example"];
  expect(await run(args)).toMatchObject({ code: 1, text: expect.stringContaining("--nats-tls") });
  expect(existsSync(folder)).toBe(false);
  expect(await run([...args, "--nats-tls", "/etc/nats"])).toMatchObject({ code: 0 });
  expect(read(folder, "nats", "nats.conf").match(/cluster \{[^}]+\}/)?.[0]).toContain("check_known_urls: true");
  expect(new X509Certificate(read(folder, "nats", "tls.crt")).subjectAltName).toBe(
    "DNS:n-0, DNS:n-1, DNS:n-2, DNS:nats.example",
  );
});

test.each([["--help"], ["init", "-h"]])("%j prints the usage", async (...args) => {
  expect(await run(args)).toMatchObject({ code: 0, text: expect.stringContaining("gatehouse keys init") });
});

test.each([
  [[], "Usage"],
  [["init", "--nats-tls", "/x", "--nats-cluster", "10.0.0.1,10.0.0.2,10.0.0.3"], "host names"],
  [["rotate", "--folder", "/nowhere"], "gatehouse keys init"],
  [["rotate", "nobody"], "no service nobody"],
  [["rotate", "--lead-minutes", "0"], "--lead-minutes"],
  [["rotate", "--authority", "chat"], "--authority is for all services"],
  [["init", "--wrong"], "--wrong"],
  [["init", "--database", "postgres:5432"], "--database must be host:port/name"],
  [["init", "--database", "postgresql://user:password@postgres/gatehouse"], "--database must be host:port/name"],
  [["init", "--database", "postgres:99999/gatehouse"], "--database must be host:port/name"],
  [["init", "--database", "postgres:port/gatehouse"], "--database must be host:port/name"],
  [["init", "--nats-hosts", "nats,"], "empty name"],
  [["rotate", "--nats-hosts", "broker", "chat"], "need a rotation of all services"],
])("%j is refused with a way out", async (args, expected) => {
  expect(await run(args)).toMatchObject({ code: 1, text: expect.stringContaining(expected) });
});

test("a folder that is a file is named, without a stack", async () => {
  const parent = mkdtempSync(join(tmpdir(), "gatehouse-keys-"));
  folders.push(parent);
  const file = join(parent, "keys");
  writeFileSync(file, "");
  for (const args of [["init"], ["rotate"]]) {
    const { code, text } = await run([...args, "--folder", file]);
    expect(code).toBe(1);
    expect(text).toMatch(/^\S+\/keys\/\S+ cannot be read or written \(ENOTDIR\)\.$/);
  }
});

test.each(["4222", "host", "host:0", "host:65536", "a b:4222", "::1:4222"])(
  "an address of the broker that is not host:port is refused: %s",
  async (address) => {
    const parent = mkdtempSync(join(tmpdir(), "gatehouse-keys-"));
    folders.push(parent);
    const refused = await run(["init", "--folder", join(parent, "keys"), "--nats-listen", address]);
    expect(refused).toMatchObject({ code: 1, text: "--nats-listen must be host:port, such as 0.0.0.0:4222." });
    expect(readdirSync(parent)).toEqual([]);
  },
);
