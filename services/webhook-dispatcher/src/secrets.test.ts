import { randomBytes, randomUUID } from "node:crypto";
import { type Keyring, seal, unseal } from "@gatehouse/vault";
import { expect, test } from "vitest";
import { createSecretVault, sealedColumns } from "./secrets.ts";

const keyring = (id: string, ...others: readonly (readonly [string, Buffer])[]): Keyring => {
  return { currentId: id, keys: new Map([[id, randomBytes(32)], ...others]) };
};

function newSource(vault: ReturnType<typeof createSecretVault>, webhookId = 7) {
  const projectUuid = randomUUID();
  return { projectUuid, sealedRoot: vault.newRoot(projectUuid), webhookId };
}

/** As the kernel's resealer does. */
function sealAgain(keys: Keyring, { projectUuid, sealedRoot }: ReturnType<typeof newSource>): string {
  const place = sealedColumns[0]?.placeOf(projectUuid) ?? "";
  return seal(keys, unseal(keys, sealedRoot, place), place);
}

test("a secret is 32 bytes that base64 and base64url write alike", () => {
  const vault = createSecretVault(keyring("k1"));
  const source = newSource(vault);
  for (let version = 1; version <= 50; version++) {
    const text = vault.newSecret(source, version).plaintext.reveal();
    expect(text).toMatch(/^whsec_[A-Za-z0-9]{43}$/);
    expect(Buffer.from(text.slice(6), "base64")).toHaveLength(32);
  }
});

test("stored data derives the same secret again, in another process too", () => {
  const keys = keyring("k1");
  const vault = createSecretVault(keys);
  const source = newSource(vault);
  const { plaintext, record } = vault.newSecret(source, 1);
  expect(createSecretVault(keys).derive(source, record)?.reveal()).toBe(plaintext.reveal());
  expect(record.hint).toBe(plaintext.reveal().slice(-4));
});

test("secrets differ by version, webhook and project", () => {
  const vault = createSecretVault(keyring("k1"));
  const source = newSource(vault);
  const { record } = vault.newSecret(source, 1);
  expect(vault.derive({ ...source, webhookId: 8 }, record)).toBeUndefined();
  expect(vault.derive(source, { ...record, version: 2 })).toBeUndefined();
  expect(createSecretVault(keyring("k1")).derive(source, record)).toBeUndefined();
  expect(vault.derive({ ...newSource(vault), webhookId: 9 }, record)).toBeUndefined();
});

test("an altered salt, digest or root gives no secret", () => {
  const keys = keyring("k1");
  const source = newSource(createSecretVault(keys));
  const { record } = createSecretVault(keys).newSecret(source, 1);
  const altered = [
    { ...record, salt: randomBytes(16) },
    { ...record, digest: randomBytes(32) },
    { ...record, digest: Buffer.alloc(0) },
  ];
  for (const each of altered) expect(createSecretVault(keys).derive(source, each)).toBeUndefined();
  const foreign = { ...source, projectUuid: randomUUID() };
  expect(createSecretVault(keys).derive(foreign, record)).toBeUndefined();
});

test("a resealed root key gives the same secrets, without the old key", () => {
  const oldKey = randomBytes(32);
  const before: Keyring = { currentId: "old", keys: new Map([["old", oldKey]]) };
  const source = newSource(createSecretVault(before));
  const { plaintext, record } = createSecretVault(before).newSecret(source, 1);
  const after = keyring("new", ["old", oldKey]);
  const sealedRoot = sealAgain(after, source);
  expect(sealedRoot).toMatch(/^v1\.new\./);
  const without: Keyring = { currentId: "new", keys: new Map([...after.keys].filter(([id]) => id === "new")) };
  expect(
    createSecretVault(without)
      .derive({ ...source, sealedRoot }, record)
      ?.reveal(),
  ).toBe(plaintext.reveal());
  expect(createSecretVault(without).opens(source.projectUuid, source.sealedRoot)).toBe(false);
});
