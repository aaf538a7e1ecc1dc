import { mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { formatServiceKeys, formatTrust, makeKeyPair, parseServiceKeys, parseTrust } from "./key-files.ts";
import { lookEveryMs } from "./key-source.ts";
import { ServiceTrust } from "./service-trust.ts";
import { createTestTrust } from "./testing.ts";

const folder = mkdtempSync(join(tmpdir(), "gatehouse-trust-"));
afterAll(() => rmSync(folder, { recursive: true }));

const trust = createTestTrust();

test("a signature is valid for its purpose and text, for each service that knows the key", () => {
  const text = trust.of("chat").sign("identity", "claim");
  const reader = trust.of("guardrail");
  expect(reader.verify("identity", text)).toMatchObject({ service: "chat", payload: "claim" });
  expect(reader.verify("identity", text)).toBe(reader.verify("identity", text));
  expect(reader.verify("principal", text)).toBeUndefined();
  expect(createTestTrust().of("guardrail").verify("identity", text)).toBeUndefined();
  for (const altered of [`${text}.`, text.replace(".", ".x"), "", "a.b", "chat.b.c"])
    expect(reader.verify("identity", altered)).toBeUndefined();
});

test("verified signatures are cached in bounded bytes", () => {
  const [writer, reader] = [trust.of("chat"), trust.of("guardrail")];
  const text = writer.sign("identity", "claim");
  const first = reader.verify("identity", text);
  const verifyOthers = (bytes: number) => {
    for (let each = 0; each < 300; each += 1)
      reader.verify("identity", writer.sign("identity", `${each}${"x".repeat(bytes)}`));
  };
  verifyOthers(10);
  expect(reader.verify("identity", text)).toBe(first);
  verifyOthers(45_000);
  expect(reader.verify("identity", text)).not.toBe(first);
  expect(reader.verify("identity", text)).toEqual(first);
});

test("a detached signature identifies its signer", () => {
  const signature = trust.of("chat").signDetached("event", "body");
  expect(trust.of("logbook").verifyDetached("event", "body", signature)).toBe("chat");
  expect(trust.of("logbook").verifyDetached("event", "Body", signature)).toBeUndefined();
  expect(trust.of("logbook").verifyDetached("report", "body", signature)).toBeUndefined();
});

test("files of keys can be read back, and errors show nothing of their content", () => {
  const { own, known } = makeKeyPair("chat", 5_000);
  expect(parseServiceKeys(formatServiceKeys({ service: "chat", keys: [own] })).keys[0]).toMatchObject({
    id: own.id,
    signsFrom: 5_000,
  });
  const [read] = parseTrust(formatTrust([{ ...known, notAfter: 9_000 }]));
  expect(read).toMatchObject({ id: known.id, service: "chat", notAfter: 9_000 });
  expect(read?.key.equals(known.key)).toBe(true);
  const wrong = formatTrust([known]).replace(/"publicKey": "[^"]*"/, '"publicKey": "AAAA"');
  expect(() => parseTrust(wrong)).toThrow("not an Ed25519 key");
  for (const text of ["", "{", "[]", "{}", '{"keys":[]}', '{"keys":[1]}', '{"service":"x","keys":[]}']) {
    expect(() => parseTrust(text)).toThrow();
    expect(() => parseServiceKeys(text)).toThrow();
  }
});

/** Two services whose keys are in files, and a clock. */
function world() {
  const clock = { nowMs: 1_000_000 };
  const now = () => clock.nowMs;
  const first = makeKeyPair("chat", 0);
  const other = makeKeyPair("guardrail", 0);
  const name = (file: string) => join(folder, `${first.own.id}-${file}`);
  let stamp = 1;
  const write = (file: string, text: string) => {
    writeFileSync(name(file), text);
    utimesSync(name(file), stamp, stamp);
    stamp += 1;
  };
  const texts = {
    own: formatServiceKeys({ service: "chat", keys: [first.own] }),
    others: formatServiceKeys({ service: "guardrail", keys: [other.own] }),
    trust: formatTrust([first.known, other.known]),
  };
  write("own", texts.own);
  write("trust", texts.trust);
  const source = (file: string, text: string) => ({ path: name(file), text });
  return {
    clock,
    name,
    write,
    first,
    other,
    signer: new ServiceTrust(source("own", texts.own), source("trust", texts.trust), now),
    reader: new ServiceTrust({ text: texts.others }, source("trust", texts.trust), now),
  };
}

test("keys rotate without a restart and without a refused signature", () => {
  const { clock, write, first, other, signer, reader } = world();
  const before = signer.sign("identity", "a");
  const second = makeKeyPair("chat", clock.nowMs + 60_000);
  write("trust", formatTrust([{ ...first.known, notAfter: clock.nowMs + 120_000 }, second.known, other.known]));
  write("own", formatServiceKeys({ service: "chat", keys: [first.own, second.own] }));
  const ids = new Set<string>();
  for (let step = 0; step < 140; step += 1) {
    const text = signer.sign("identity", "a");
    ids.add(text.split(".")[0] ?? "");
    expect(reader.verify("identity", text)?.service).toBe("chat");
    clock.nowMs += 1_000;
  }
  expect([...ids]).toEqual([first.own.id, second.own.id]);
  // The old key has expired, also for signatures verified before.
  expect(reader.verify("identity", before)).toBeUndefined();
  expect([...signer.problems(), ...signer.notices()]).toEqual([]);
});

test("a rotated trust file without the new key file is a notice before the old key's end and a problem after", () => {
  const { clock, write, first, other, signer, reader } = world();
  const second = makeKeyPair("chat", clock.nowMs + 60_000);
  const ends = clock.nowMs + 120_000;
  write("trust", formatTrust([{ ...first.known, notAfter: ends }, second.known, other.known]));
  clock.nowMs += lookEveryMs;
  expect(signer.problems()).toEqual([]);
  expect(signer.notices()).toEqual([
    `the service's signing key expires at ${new Date(ends).toISOString()}, and its key file has no later one`,
  ]);
  clock.nowMs = ends;
  expect(reader.verify("identity", signer.sign("identity", "a"))).toBeUndefined();
  expect(signer.problems()).toEqual(["the service's signing key has expired, and its key file has no other valid one"]);
  write("own", formatServiceKeys({ service: "chat", keys: [first.own, second.own] }));
  clock.nowMs += lookEveryMs;
  expect(reader.verify("identity", signer.sign("identity", "a"))?.service).toBe("chat");
  expect([...signer.problems(), ...signer.notices()]).toEqual([]);
});

test("a rotated key file without the new trust file makes the service sign with the earlier key, with a notice", () => {
  const { clock, write, first, signer, reader } = world();
  const second = makeKeyPair("chat", clock.nowMs + 60_000);
  write("own", formatServiceKeys({ service: "chat", keys: [first.own, second.own] }));
  clock.nowMs += 60_000;
  expect(reader.verify("identity", signer.sign("identity", "a"))?.keyId).toBe(first.own.id);
  expect(signer.problems()).toEqual([]);
  expect(signer.notices()).toEqual([
    "the service's newest signing key is not in the trust file, or has expired; it signs with the one before",
  ]);
});

test("a key file of another service is not used, and the last good keys stay", () => {
  const { clock, write, other, signer, reader } = world();
  write("own", formatServiceKeys({ service: "guardrail", keys: [other.own] }));
  clock.nowMs += lookEveryMs;
  expect(reader.verify("identity", signer.sign("identity", "a"))?.service).toBe("chat");
  expect(signer.service).toBe("chat");
  expect(signer.notices()).toEqual([
    "the service's key file belongs to the service guardrail, but this service is chat",
  ]);
});

test("a damaged or removed file leaves the last good keys, and is reported", () => {
  const { clock, write, signer, reader } = world();
  write("trust", "{");
  clock.nowMs += lookEveryMs;
  expect(reader.verify("identity", signer.sign("identity", "a"))?.service).toBe("chat");
  expect(reader.notices()).toEqual(["the trust file is not JSON"]);
});

test("a file that was missing is not a problem any more when it is back", () => {
  const { clock, signer, name } = world();
  renameSync(name("trust"), name("moved"));
  clock.nowMs += lookEveryMs;
  expect(signer.notices()).toEqual([expect.stringContaining("ENOENT")]);
  renameSync(name("moved"), name("trust"));
  clock.nowMs += lookEveryMs;
  expect(signer.notices()).toEqual([]);
});

test("a file that cannot be read leaves the last good keys", () => {
  const { clock, signer, reader, name } = world();
  const text = signer.sign("identity", "a");
  rmSync(name("trust"));
  symlinkSync(name("trust"), name("trust"));
  clock.nowMs += lookEveryMs;
  expect(reader.verify("identity", text)?.service).toBe("chat");
  expect(reader.notices()).toEqual([expect.stringContaining("ELOOP")]);
});

test("a service whose key is not in the trust file reports it as a problem", () => {
  const { write, other, clock, signer } = world();
  write("trust", formatTrust([other.known]));
  clock.nowMs += lookEveryMs;
  expect(signer.problems()).toEqual(["the service's signing key is not in the trust file"]);
});
