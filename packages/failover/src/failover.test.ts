import { openMs, ProviderError, ProviderHealth } from "@gatehouse/providers";
import { describe, expect, test } from "vitest";
import { type AttemptPlace, Failover } from "./failover.ts";
import type { ReadyTarget, ResolvedTarget } from "./resolved-target.ts";

function ready(provider: string): ResolvedTarget {
  const address = { provider, kind: "mock" as const, baseUrl: undefined, apiKey: undefined, model: "m" };
  return { kind: "ready", target: { provider, model: "m" }, address };
}

const disabled = (provider: string): ResolvedTarget => ({ kind: "disabled", target: { provider, model: "m" } });

const endpointOf = (targets: readonly ResolvedTarget[]) => ({ targets });

function statusError(status: number, retryAfterSeconds?: number): ProviderError {
  const options = retryAfterSeconds === undefined ? { status } : { status, retryAfterSeconds };
  return new ProviderError("status", `answered ${status}`, options);
}

/** Failover on a test clock, over scripted providers that record their requests. */
function createWorld({ deadlineAt = 600_000 }: { readonly deadlineAt?: number } = {}) {
  const clock = { at: 0 };
  const now = () => clock.at;
  const health = new ProviderHealth({ now });
  const abort = new AbortController();
  const waits: number[] = [];
  const asked: string[] = [];
  /** Tried targets without a next one. */
  const last: string[] = [];
  let duringWait = () => {};
  const wait = async (ms: number) => {
    waits.push(ms);
    clock.at += ms;
    duringWait();
    await Promise.resolve();
  };
  const failover = new Failover({ health, now, random: () => 0.5, wait });
  type Behaviour = ProviderError | Error | "answer" | (() => ProviderError | "answer");
  const behaviours: Record<string, Behaviour> = {};
  const call = async (...targets: ResolvedTarget[]) => {
    asked.length = 0;
    last.length = 0;
    waits.length = 0;
    const attempt = async ({ address: { provider } }: ReadyTarget, { hasNext }: AttemptPlace) => {
      asked.push(provider);
      if (!hasNext) last.push(provider);
      const behaviour = behaviours[provider] ?? "answer";
      const result = typeof behaviour === "function" ? behaviour() : behaviour;
      if (result instanceof Error) throw result;
      return await Promise.resolve(provider);
    };
    const outcome = await failover.run(endpointOf(targets), { signal: abort.signal, deadlineAt }, attempt);
    if (outcome.ok) outcome.watch.ended();
    return outcome;
  };
  const onWait = (run: () => void) => void (duringWait = run);
  return { clock, health, abort, waits, asked, last, behaviours, call, onWait };
}

/** Pause between rounds, with these tests' random number. */
const pause = 200;

describe("the next target", () => {
  test.each([
    new ProviderError("unreachable", "no connection"),
    new ProviderError("timeout", "no answer"),
    new ProviderError("malformed", "not understood"),
    new ProviderError("cut", "broke off"),
    ...[401, 403, 404, 408, 429, 500, 502, 529].map((status) => statusError(status)),
  ])("is tried after $failure $status", async (failure) => {
    const { call, behaviours, asked } = createWorld();
    behaviours["a"] = failure;
    const outcome = await call(ready("a"), ready("b"));
    expect(outcome).toMatchObject({ ok: true, value: "b", attempts: 2, answeredBy: { target: { provider: "b" } } });
    expect(asked).toEqual(["a", "b"]);
  });

  test.each([new ProviderError("aborted", "gone"), ...[400, 409, 422].map((status) => statusError(status))])(
    "is not tried after $failure $status, and neither is the same one again",
    async (failure) => {
      const { call, behaviours, asked } = createWorld();
      behaviours["a"] = failure;
      expect(await call(ready("a"), ready("b"))).toMatchObject({ ok: false, attempts: 1 });
      expect(asked).toEqual(["a"]);
    },
  );

  test("is passed to each attempt, unless it is being skipped", async () => {
    const { call, behaviours, health, last } = createWorld();
    const target = ready("b");
    behaviours["a"] = statusError(503);
    await call(ready("a"), target);
    expect(last).toEqual(["b"]);
    if (target.kind === "ready") health.watch(target.address).ended(statusError(429, 60));
    behaviours["a"] = "answer";
    await call(ready("a"), target);
    expect(last).toEqual(["a"]);
  });

  test("leaves the failed attempts with provider, code and duration", async () => {
    const { call, behaviours, clock } = createWorld();
    behaviours["a"] = () => {
      clock.at += 30;
      return statusError(503);
    };
    behaviours["b"] = new ProviderError("timeout", "a secret");
    const { failures } = await call(ready("a"), ready("b"), ready("c"));
    expect(failures).toEqual([
      { provider: "a", model: "m", code: "status_503", durationMs: 30 },
      { provider: "b", model: "m", code: "timeout", durationMs: 0 },
    ]);
  });
});

test("the last failure is the answer when every target fails", async () => {
  const { call, behaviours } = createWorld();
  behaviours["a"] = new ProviderError("timeout", "a is slow");
  behaviours["b"] = new ProviderError("timeout", "b is slow");
  const error = { code: "provider_failed", message: "Provider call failed: b is slow" };
  expect(await call(ready("a"), ready("b"))).toMatchObject({ ok: false, attempts: 2, error });
});

test("disabled providers are skipped, and named when all are", async () => {
  const { call } = createWorld();
  expect(await call(disabled("a"), ready("b"))).toMatchObject({ ok: true, attempts: 1 });
  expect(await call(disabled("a"), disabled("b"))).toMatchObject({
    error: { code: "provider_disabled", message: "Provider 'a' is disabled in this gateway." },
  });
});

test("a defect in an adapter is hidden from the caller", async () => {
  const { call, behaviours } = createWorld();
  behaviours["a"] = new TypeError("sk-secret");
  const outcome = await call(ready("a"));
  expect(outcome.ok ? "" : outcome.error.message).toBe("Provider call failed: the provider's reply could not be read");
});

const coded = (status: number, code: string) => new ProviderError("status", "refused", { status, code });

test("a request too long for one model goes to the next, and one that a filter refuses does not", async () => {
  const { call, behaviours, asked, health } = createWorld();
  behaviours["a"] = coded(400, "context_length_exceeded");
  for (let times = 1; times <= 6; times += 1) expect(await call(ready("a"), ready("b"))).toMatchObject({ value: "b" });
  expect([asked, health.reports()[0]?.state]).toEqual([["a", "b"], "closed"]);
  behaviours["a"] = coded(403, "content_filter");
  expect(await call(ready("a"), ready("b"))).toMatchObject({ ok: false, attempts: 1 });
});

test("the error has the provider's status and code", async () => {
  const { call, behaviours } = createWorld();
  behaviours["a"] = coded(400, "context_length_exceeded");
  const details = { provider_status: 400, provider_code: "context_length_exceeded" };
  expect(await call(ready("a"))).toMatchObject({ error: { details, retryAfterSeconds: undefined } });
});

test("a request that the provider's API has no form for is the caller's to fix", async () => {
  const { call, behaviours } = createWorld();
  behaviours["a"] = new ProviderError("status", "a does not accept this", { status: 400, isOfRequest: true });
  expect(await call(ready("a"), ready("b"))).toMatchObject({
    error: { code: "malformed_body", message: "a does not accept this" },
    attempts: 1,
  });
});

test("the error has a Retry-After only if every target asked for one: the shortest", async () => {
  const { call, behaviours } = createWorld();
  behaviours["a"] = statusError(429, 60);
  behaviours["b"] = statusError(429, 30);
  expect(await call(ready("a"), ready("b"))).toMatchObject({ error: { retryAfterSeconds: 30 } });
  behaviours["c"] = statusError(500);
  expect(await call(ready("a"), ready("c"))).toMatchObject({ error: { retryAfterSeconds: undefined } });
});

test("the error has the target's latest Retry-After, not that of an earlier call", async () => {
  const { call, behaviours } = createWorld();
  for (const seconds of [300, 30, 1]) {
    behaviours["a"] = statusError(seconds === 30 ? 503 : 429, seconds);
    expect(await call(ready("a"))).toMatchObject({ error: { retryAfterSeconds: seconds } });
  }
});

test.each([400, 401, 409])(
  "a Retry-After of status %i is not passed on, since a retry does not help",
  async (status) => {
    const { call, behaviours } = createWorld();
    behaviours["a"] = statusError(status, 3);
    expect(await call(ready("a"))).toMatchObject({ ok: false, error: { retryAfterSeconds: undefined } });
  },
);

describe("a target with retries", () => {
  const retrying = (retries: number): ResolvedTarget => {
    const target = ready("a");
    return { ...target, target: { ...target.target, retries } };
  };

  test.each([new ProviderError("unreachable", "away"), statusError(500), statusError(429, 2)])(
    "is asked again before the next after $failure $status $retryAfterSeconds",
    async (failure) => {
      const { call, behaviours, asked, waits } = createWorld();
      let tries = 0;
      behaviours["a"] = () => (++tries === 1 ? failure : "answer");
      expect(await call(retrying(1), ready("b"))).toMatchObject({ ok: true, value: "a", attempts: 2 });
      expect([asked, waits]).toEqual([["a", "a"], [(failure.retryAfterSeconds ?? 0) * 1_000 + pause]]);
    },
  );

  test("is tried at most the configured number of times again", async () => {
    const { call, behaviours, asked } = createWorld();
    behaviours["a"] = statusError(500);
    expect(await call(retrying(2), ready("b"))).toMatchObject({ value: "b" });
    expect(asked).toEqual(["a", "a", "a", "b"]);
  });

  test.each([
    statusError(429),
    statusError(429, 6),
    statusError(401),
    new ProviderError("timeout", "slow"),
    coded(400, "context_length_exceeded"),
  ])("is not tried again after $failure $status $retryAfterSeconds", async (failure) => {
    const { call, behaviours, asked } = createWorld();
    behaviours["a"] = failure;
    await call(retrying(3), ready("b"));
    expect(asked).toEqual(["a", "b"]);
  });
});

describe("a second round", () => {
  const passing = [
    new ProviderError("unreachable", "away"),
    ...[408, 429, 500, 503].map((status) => statusError(status)),
  ];

  test.each(passing)("comes after a pause when all failed with $failure $status", async (failure) => {
    const { call, behaviours, asked, waits } = createWorld();
    behaviours["a"] = failure;
    let tries = 0;
    behaviours["b"] = () => (++tries === 1 ? statusError(500) : "answer");
    expect(await call(ready("a"), ready("b"))).toMatchObject({ ok: true, value: "b", attempts: 4 });
    expect([asked, waits]).toEqual([["a", "b", "a", "b"], [pause]]);
  });

  test("is the last round", async () => {
    const { call, behaviours, asked } = createWorld();
    behaviours["a"] = statusError(500);
    expect(await call(ready("a"))).toMatchObject({ ok: false, attempts: 2 });
    expect(asked).toEqual(["a", "a"]);
  });

  test.each([
    new ProviderError("timeout", "slow"),
    new ProviderError("malformed", "broken"),
    new ProviderError("cut", "broke off"),
  ])("does not start when one target failed with $failure", async (failure) => {
    const { call, behaviours, asked } = createWorld();
    behaviours["a"] = failure;
    behaviours["b"] = statusError(500);
    await call(ready("a"), ready("b"));
    expect(asked).toEqual(["a", "b"]);
    await call(ready("b"), ready("a"));
    expect(asked).toEqual(["b", "a"]);
  });

  test("does not start after a failure that took long", async () => {
    const { call, behaviours, asked, clock } = createWorld();
    behaviours["a"] = () => {
      clock.at += 5_001;
      return new ProviderError("unreachable", "reset");
    };
    await call(ready("a"));
    expect(asked).toEqual(["a"]);
  });

  test("waits as long as the provider asks, the least of several, and asks only that one", async () => {
    const { call, behaviours, asked, waits } = createWorld();
    behaviours["a"] = statusError(429, 4);
    behaviours["b"] = statusError(429, 2);
    await call(ready("a"), ready("b"));
    expect([asked, waits]).toEqual([["a", "b", "b"], [2_000 + pause]]);
  });

  test("does not wait for a provider that asks for more than 5 s", async () => {
    const { call, behaviours, asked, waits } = createWorld();
    behaviours["a"] = statusError(429, 6);
    await call(ready("a"));
    expect([asked, waits]).toEqual([["a"], []]);
  });

  test("does not wait past the call's deadline", async () => {
    const { call, behaviours, waits } = createWorld({ deadlineAt: pause });
    behaviours["a"] = statusError(503);
    await call(ready("a"));
    expect(waits).toEqual([]);
  });

  test("is not begun for a caller who has left meanwhile", async () => {
    const { call, behaviours, asked, abort, onWait } = createWorld();
    behaviours["a"] = statusError(503);
    onWait(() => abort.abort());
    const outcome = await call(ready("a"));
    expect(asked).toEqual(["a"]);
    expect(outcome).toMatchObject({ ok: false, error: { code: "cancelled" } });
  });
});

describe("a provider that keeps failing", () => {
  async function withOpenCircuit() {
    const world = createWorld();
    world.behaviours["a"] = new ProviderError("timeout", "slow");
    for (let times = 1; times <= 5; times += 1) await world.call(ready("a"), ready("b"));
    return world;
  }

  test("is skipped while another target can be tried", async () => {
    const { call, asked } = await withOpenCircuit();
    await call(ready("a"), ready("b"));
    expect(asked).toEqual(["b"]);
  });

  test("is tried if there is no other target", async () => {
    const { call, asked, behaviours } = await withOpenCircuit();
    behaviours["a"] = "answer";
    expect(await call(ready("a"))).toMatchObject({ ok: true });
    expect(asked).toEqual(["a"]);
    expect(await call(ready("a"), ready("b"))).toMatchObject({ value: "a" });
  });

  test("is tried first if all others keep failing too", async () => {
    const { call, asked, behaviours } = await withOpenCircuit();
    behaviours["b"] = new ProviderError("timeout", "slow");
    for (let times = 1; times <= 5; times += 1) await call(ready("a"), ready("b"));
    await call(ready("a"), ready("b"));
    expect(asked).toEqual(["a"]);
  });

  test("is tried again after its time, by one call", async () => {
    const { call, asked, behaviours, clock } = await withOpenCircuit();
    clock.at += openMs;
    behaviours["a"] = "answer";
    const both = await Promise.all([call(ready("a"), ready("b")), call(ready("a"), ready("b"))]);
    expect(both.map((outcome) => outcome.ok && outcome.value)).toEqual(["a", "b"]);
    await call(ready("a"), ready("b"));
    expect(asked).toEqual(["a"]);
  });

  test("is not retried in the call that opened its circuit", async () => {
    const { call, behaviours, asked, waits } = createWorld();
    behaviours["a"] = statusError(500);
    for (let times = 1; times <= 3; times += 1) await call(ready("a"));
    expect([asked, waits]).toEqual([["a"], []]);
  });
});

test("later calls skip a provider until its requested pause is over", async () => {
  const { call, behaviours, asked, clock } = createWorld();
  behaviours["a"] = statusError(429, 30);
  await call(ready("a"), ready("b"));
  behaviours["a"] = "answer";
  clock.at += 29_999;
  await call(ready("a"), ready("b"));
  expect(asked).toEqual(["b"]);
  clock.at += 1;
  await call(ready("a"), ready("b"));
  expect(asked).toEqual(["a"]);
});
