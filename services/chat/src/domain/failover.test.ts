import { expect, test } from "vitest";
import type { CompiledEndpoint, ResolvedTarget } from "./endpoint.ts";
import { tryTargets } from "./failover.ts";
import { ProviderError } from "./provider.ts";

function ready(provider: string): ResolvedTarget {
  const address = { provider, kind: "mock" as const, baseUrl: undefined, apiKey: undefined, model: "m" };
  return { kind: "ready", target: { provider, model: "m" }, address };
}

function endpointOf(...targets: ResolvedTarget[]): CompiledEndpoint {
  return {
    endpoint: {} as CompiledEndpoint["endpoint"],
    targets,
    validateInput: undefined,
    validateOutput: undefined,
    renderPrompt: undefined,
    mayStream: false,
    contextTokens: undefined,
  };
}

const disabled = (provider: string): ResolvedTarget => ({ kind: "disabled", target: { provider, model: "m" } });

test.each([
  new ProviderError("unreachable", "no connection"),
  new ProviderError("timeout", "no answer"),
  new ProviderError("malformed", "not understood"),
  new ProviderError("cut", "broke off"),
  ...[408, 429, 500, 502, 529].map((status) => new ProviderError("status", `answered ${status}`, { status })),
])("after $failure $status the next target is tried", async (failure) => {
  const outcome = await tryTargets(endpointOf(ready("a"), ready("b")), async ({ address }) => {
    if (address.provider === "a") throw failure;
    return address.provider;
  });
  expect(outcome).toMatchObject({ ok: true, value: "b", attempts: 2 });
});

test.each([
  new ProviderError("aborted", "gone"),
  ...[400, 401, 404, 422].map((status) => new ProviderError("status", `answered ${status}`, { status })),
])("after $failure $status no other target is tried", async (failure) => {
  const outcome = await tryTargets(endpointOf(ready("a"), ready("b")), async () => await Promise.reject(failure));
  expect(outcome).toMatchObject({ ok: false, attempts: 1 });
});

test("the last failure is the answer when every target fails", async () => {
  const outcome = await tryTargets(endpointOf(ready("a"), ready("b")), async ({ address }) => {
    throw new ProviderError("unreachable", `${address.provider} is away`);
  });
  expect(outcome).toMatchObject({
    ok: false,
    attempts: 2,
    error: { code: "provider_failed", message: "Provider call failed: b is away" },
  });
});

test("disabled providers are skipped, and named when all are", async () => {
  const some = await tryTargets(endpointOf(disabled("a"), ready("b")), async () => "answer");
  expect(some).toMatchObject({ ok: true, attempts: 1 });
  const none = await tryTargets(endpointOf(disabled("a"), disabled("b")), async () => "answer");
  expect(none).toMatchObject({
    error: { code: "provider_disabled", message: "Provider 'a' is disabled in this gateway." },
  });
});

test("a defect in an adapter is told to nobody", async () => {
  const outcome = await tryTargets(
    endpointOf(ready("a")),
    async () => await Promise.reject(new TypeError("sk-secret")),
  );
  expect(outcome.ok ? "" : outcome.error.message).toBe("Provider call failed: the reply could not be understood");
});
