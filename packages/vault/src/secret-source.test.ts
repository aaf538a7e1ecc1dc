import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deriveKeyring, isSealedUnderOldKey, seal, Secret, SecretSource, unseal } from "./index.ts";
import { secretSourceBounds } from "./secret-source.ts";

let [base, folder] = ["", ""];
let elapsedMs = 0;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), "secrets-"));
  folder = join(base, "open");
  mkdirSync(folder);
  elapsedMs = 0;
});

afterEach(() => rmSync(base, { recursive: true }));

function open(env: Record<string, string> = {}): SecretSource {
  return new SecretSource({ env, envPrefix: "OPEN_", folder, elapsedMs: () => elapsedMs });
}

function write(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return `file:${path}`;
}

test("a variable with the prefix can be read, and no other", () => {
  const source = open({ OPEN_KEY: "sk-1", GATEHOUSE_KEYRING: "hunter2", OPEN_EMPTY: "" });
  expect(source.open("env:OPEN_KEY").reveal()).toBe("sk-1");
  expect(source.problem("env:GATEHOUSE_KEYRING")).toContain("OPEN_ may be named");
  expect(source.problem("env:OPEN_OTHER")).toBe("The environment variable OPEN_OTHER is not set.");
  expect(source.problem("env:OPEN_EMPTY")).toBe("The secret is empty.");
});

test("a changed file is read again within the interval, and a removed one is an error", () => {
  const source = open();
  const reference = write("key", "sk-1\n");
  const secret = source.open(reference);
  expect(secret.reveal()).toBe("sk-1");
  writeFileSync(join(folder, "next"), "sk-2\r\n");
  renameSync(join(folder, "next"), join(folder, "key"));
  expect(secret.reveal()).toBe("sk-1");
  elapsedMs += secretSourceBounds.checkIntervalMs;
  expect(secret.reveal()).toBe("sk-2");
  rmSync(join(folder, "key"));
  elapsedMs += secretSourceBounds.checkIntervalMs;
  expect(() => secret.reveal()).toThrow(`The secret at '${reference}' cannot be read.`);
  write("key", "sk-3");
  expect(secret.reveal()).toBe("sk-3");
});

test("an update of a Kubernetes mount, which replaces a linked folder, is followed", () => {
  for (const version of ["v1", "v2"]) {
    mkdirSync(join(folder, version));
    writeFileSync(join(folder, version, "key"), `of ${version}`);
  }
  symlinkSync("v1", join(folder, "..data"));
  symlinkSync("..data/key", join(folder, "key"));
  const secret = open().open(`file:${folder}/key`);
  expect(secret.reveal()).toBe("of v1");
  symlinkSync("v2", join(folder, "..tmp"));
  renameSync(join(folder, "..tmp"), join(folder, "..data"));
  elapsedMs += secretSourceBounds.checkIntervalMs;
  expect(secret.reveal()).toBe("of v2");
});

test("no file outside the folder is read, by any path", () => {
  writeFileSync(join(base, "outside"), "hunter2");
  symlinkSync(join(base, "outside"), join(folder, "link"));
  symlinkSync(base, join(folder, "up"));
  mkdirSync(`${folder}-next`);
  writeFileSync(join(`${folder}-next`, "key"), "hunter2");
  const source = open();
  // The existence of such a file must not be revealed either.
  for (const path of [
    `${base}/outside`,
    `${base}/none`,
    `/none`,
    `${folder}/link`,
    `${folder}/up/outside`,
    `${folder}-next/key`,
    folder,
  ]) {
    expect(source.problem(`file:${path}`), path).toContain("not inside");
  }
  for (const path of [`${folder}/../outside`, `${folder}/./key`, "key", `${folder}//key`, `${folder}/a\0b`, ""]) {
    expect(source.problem(`file:${path}`), path).toContain("not of the form");
  }
});

test("only a regular file of text within a bound is read, and none is waited for", () => {
  const source = open();
  execFileSync("mkfifo", [join(folder, "pipe")]);
  mkdirSync(join(folder, "folder"));
  expect(source.problem(`file:${folder}/pipe`)).toBe("The path is not a regular file.");
  expect(source.problem(`file:${folder}/folder`)).toBe("The path is not a regular file.");
  expect(source.problem(`file:${folder}/none`)).toBe("There is no such file (ENOENT).");
  expect(source.problem(write("large", "x".repeat(secretSourceBounds.sizeBytesMax + 1)))).toContain("larger than");
  expect(source.problem(write("bytes", Buffer.from([0xff, 0xfe])))).toBe("The file is not UTF-8 text.");
  expect(source.problem(write("empty", "\n"))).toBe("The secret is empty.");
});

test("no file is read without a folder", () => {
  const source = new SecretSource({ env: {}, envPrefix: "OPEN_", folder: undefined });
  expect(source.problem("file:/etc/hostname")).toContain("SECRET_FOLDER");
});

const uuid = "0e8e6f5e-1c6b-4b0c-9c3e-0a4f5a6b7c8d";

test("a given reference is stored unchanged; any other value is sealed, also one with the form of a reference", () => {
  const references = open({ OPEN_KEY: "sk-1" });
  const keyring = { ...deriveKeyring(new Secret("root"), "test"), references };
  const stored = seal(keyring, references.given("env:OPEN_KEY", null), "here");
  expect([stored, isSealedUnderOldKey(keyring, stored)]).toEqual(["env:OPEN_KEY", false]);
  expect(unseal(keyring, stored, "here").reveal()).toBe("sk-1");
  for (const value of [references.given("sk-live", null), new Secret("env:OPEN_KEY")]) {
    const sealed = seal(keyring, value, "here");
    expect(sealed).toMatch(/^v1\./);
    expect(unseal(keyring, sealed, "here").reveal()).toBe(value.reveal());
  }
  expect(() => references.given("file:relative", null)).toThrow("A reference to a secret is");
  expect(references.warning(references.given("env:OPEN_KEY", null))).toBeNull();
  expect(references.warning(references.given("env:OPEN_LATER", null))).toContain("It is saved, but");
});

test("a project's reference must name the project's own place", () => {
  const references = open();
  const variable = "env:OPEN_0E8E6F5E_1C6B_4B0C_9C3E_0A4F5A6B7C8D_KEY";
  expect(references.given(variable, uuid).reference).toBe(variable);
  expect(references.given(`file:${folder}/projects/${uuid}/key`, uuid).reference).toContain(uuid);
  for (const other of ["env:OPEN_KEY", `file:${folder}/key`, `file:${folder}/projects/${uuid}-2/key`]) {
    expect(() => references.given(other, uuid), other).toThrow("A reference of this project must begin with");
  }
});

test("a link in a project's folder cannot lead elsewhere", () => {
  const other = "11111111-1c6b-4b0c-9c3e-0a4f5a6b7c8d";
  for (const project of [uuid, other]) mkdirSync(join(folder, "projects", project), { recursive: true });
  write(`projects/${other}/key`, "hunter2");
  write("openai", "hunter2");
  const [own, place] = [write(`projects/${uuid}/v1`, "own"), join(folder, "projects", uuid)];
  symlinkSync(`../${other}/key`, join(place, "link"));
  symlinkSync(`../../openai`, join(place, "up"));
  symlinkSync(`../${other}`, join(place, "folder"));
  symlinkSync("v1", join(place, "inside"));
  const source = open();
  for (const name of ["link", "up", "folder/key"]) {
    expect(source.problem(`file:${place}/${name}`), name).toContain("not inside");
  }
  expect(source.open(`file:${place}/inside`).reveal()).toBe("own");
  expect(source.open(own).reveal()).toBe("own");
});

test("a printed secret shows neither its value nor its reference", () => {
  const secret = open({ OPEN_KEY: "sk-hunter2" }).open("env:OPEN_KEY");
  expect(secret.reveal()).toBe("sk-hunter2");
  const printed = [String(secret), JSON.stringify({ secret }), inspect({ secret }, { depth: 10, showHidden: true })];
  expect(printed).toEqual(["[redacted]", '{"secret":"[redacted]"}', "{ secret: [redacted] }"]);
});

test("the problem with a secret does not show the secret", () => {
  const reference = write("broken", "sk-hunter2\nsk-hunter3");
  const source = open({ OPEN_KEY: "sk-hunter2\u0007" });
  for (const text of [reference, "env:OPEN_KEY"]) {
    expect(source.problem(text)).toBe("The secret has a line break or another control character.");
    const isSafe = (err: unknown) => !inspect(err, { depth: 10, showHidden: true }).includes("hunter");
    expect(() => source.open(text).reveal()).toThrow(expect.toSatisfy(isSafe));
  }
});
