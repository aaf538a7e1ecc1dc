import { Secret } from "@gatehouse/vault";
import { expect, test } from "vitest";
import { resolveTarget, type TargetProvider } from "./resolve-target.ts";

const target = { provider: "p", model: "m" };
const credential = { uuid: "u", sealedKey: "sealed" };
const provider: TargetProvider = {
  name: "p",
  kind: "openai",
  baseUrl: "https://p.example/v1/",
  isEnabled: true,
  credential,
  hasCredentials: true,
};
const key = new Secret("key");
const resolve = (changes: Partial<TargetProvider>) => resolveTarget(target, { ...provider, ...changes }, () => key);

test("calls go to the provider's address with its key", () => {
  const address = { provider: "p", kind: "openai", baseUrl: "https://p.example/v1", credentialUuid: "u", model: "m" };
  expect(resolve({})).toEqual({ kind: "ready", target, address: { ...address, apiKey: key } });
});

test("a provider that does not exist is named", () => {
  const problem = "there is no provider 'p'";
  expect(resolveTarget(target, undefined, () => key)).toEqual({ kind: "misconfigured", target, problem });
});

test("the key of a disabled provider stays sealed", () => {
  const open = () => {
    throw new Error("It cannot be opened.");
  };
  expect(resolveTarget(target, { ...provider, isEnabled: false }, open)).toEqual({ kind: "disabled", target });
  expect(() => resolveTarget(target, provider, open)).toThrow("It cannot be opened.");
});

test.each(["mock", "openai-compatible"] as const)("%s is called without a key where none was stored", (kind) => {
  const resolved = resolve({ kind, baseUrl: null, credential: null, hasCredentials: false });
  expect(resolved).toMatchObject({ kind: "ready", address: { apiKey: undefined, credentialUuid: undefined } });
});

test.each([
  { kind: "mock", hasCredentials: true },
  { kind: "openai-compatible", hasCredentials: true },
  { kind: "openai", hasCredentials: false },
] as const)("$kind is not called without a key where hasCredentials is $hasCredentials", (changes) => {
  const problem = "provider 'p' has no active credential";
  expect(resolve({ ...changes, credential: null })).toEqual({ kind: "misconfigured", target, problem });
});
