import { inspect } from "node:util";
import { expect, test } from "vitest";
import { deriveKeyring, isSealedUnderOldKey, parseKeyring, seal, Secret, unseal } from "./index.ts";

const keyring = deriveKeyring(new Secret("root of a test"), "credentials");

test("a sealed secret opens only in its own place", () => {
  const sealed = seal(keyring, new Secret("sk-value"), "chat.credentials/1");
  expect(sealed).not.toContain("sk-value");
  expect(unseal(keyring, sealed, "chat.credentials/1").reveal()).toBe("sk-value");
  expect(() => unseal(keyring, sealed, "chat.credentials/2")).toThrow("Unexpected error.");
});

test("a sealed secret with a changed byte does not open", () => {
  const sealed = seal(keyring, new Secret("sk-value"), "here");
  const last = sealed.at(-1) === "A" ? "Q" : "A";
  expect(() => unseal(keyring, sealed.slice(0, -1) + last, "here")).toThrow("Unexpected error.");
});

test("after a rotation old values open and new ones use the new key", () => {
  const oldEntry = `k1:${Buffer.alloc(32, 1).toString("base64")}`;
  const newEntry = `k2:${Buffer.alloc(32, 2).toString("base64")}`;
  const sealed = seal(parseKeyring(new Secret(oldEntry)), new Secret("kept"), "row");
  const rotated = parseKeyring(new Secret(`${newEntry},${oldEntry}`));
  expect(unseal(rotated, sealed, "row").reveal()).toBe("kept");
  expect(seal(rotated, new Secret("x"), "row")).toMatch(/^v1\.k2\./);
  expect(isSealedUnderOldKey(rotated, sealed)).toBe(true);
  expect(isSealedUnderOldKey(rotated, seal(rotated, new Secret("x"), "row"))).toBe(false);
});

test.each(["", "k1", "k1:dG9vIHNob3J0", "K!:AAAA"])("the keyring %j is refused without showing its content", (text) => {
  expect(() => parseKeyring(new Secret(text))).toThrow(/^entry 1 /);
});

test("a secret prints as redacted everywhere", () => {
  const secret = new Secret("hunter2");
  const printed = [String(secret), JSON.stringify({ secret }), inspect({ secret })];
  for (const text of printed) expect(text).not.toContain("hunter2");
});

test.each([0, 1, 4, 8, 12, 15])(
  "a value cut to a tag of %i bytes does not open, though GCM knows shorter tags",
  (length) => {
    const [form, id, nonce, body = ""] = seal(keyring, new Secret(""), "here").split(".");
    const cut = Buffer.from(body, "base64url").subarray(0, length).toString("base64url");
    expect(() => unseal(keyring, [form, id, nonce, cut].join("."), "here")).toThrow("Unexpected error.");
  },
);
