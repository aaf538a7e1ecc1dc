import { LightAbort } from "@gatehouse/async";
import { GatewayError } from "@gatehouse/errors";
import { FirstTokenTimeout, toCallError } from "@gatehouse/failover";
import {
  type Completion,
  type CompletionChunk,
  type CompletionStream,
  type ProviderAdapter,
  ProviderError,
  ProviderHealth,
} from "@gatehouse/providers";
import type { Tracing } from "@gatehouse/telemetry";
import { expect, test } from "vitest";
import type { Endpoint } from "../../domain/endpoint-fields.ts";
import type { CompiledEndpoint } from "../../domain/endpoint.ts";
import { type Prompted, type CallInput, receive, type Outcome } from "../call.ts";
import { createProviderStep } from "./provider.ts";

const bounds = { connectMs: 1, headersMs: 1, firstTokenMs: 1, idleMs: 1, totalMs: 1 };
/** First-token time-out while another target can be asked, milliseconds. */
const shortMs = 2;
const completion: Completion = { id: "c", model: "m", created: 0, choices: [] };
const stream = { batches: (async function* () {})() };

/** Records the attributes of spans. */
function recordingTracing() {
  const spans: Record<string, unknown>[] = [];
  const start: Tracing["start"] = (_name, { attributes = {} }) => {
    const span: Record<string, unknown> = { ...attributes };
    spans.push(span);
    return {
      traceId: undefined,
      traceparent: undefined,
      isRecorded: true,
      set: (more) => void Object.assign(span, more),
      end: () => {},
    };
  };
  return { spans, tracing: { start } };
}

const text = (content: string, finish: string | null = null) => [
  { id: content, model: "m", created: 0, choices: [{ index: 0, delta: { content }, finish_reason: finish }] },
];

/** Two targets, of which the first breaks off; `second` makes the other's reply from the request. */
function createBrokenWorld(second: (messages: readonly unknown[]) => CompletionStream | ProviderError) {
  const cut = new ProviderError("cut", "broke off");
  async function* breaking() {
    yield await Promise.resolve(text("The first half of it, "));
    throw cut;
  }
  const asked: (readonly unknown[])[] = [];
  const world = createWorld({
    async stream({ provider }, { messages }) {
      asked.push(messages);
      if (provider === "a") return { batches: breaking() };
      const reply = second(messages);
      if (reply instanceof ProviderError) throw reply;
      return await Promise.resolve(reply);
    },
  });
  const { call } = world;
  const endpoint = { ...call.compiled.endpoint, midStream: "continue" } as Endpoint;
  const targets = call.compiled.targets.map((target) =>
    target.kind === "ready"
      ? { ...target, address: { ...target.address, kind: "openai-compatible" as const } }
      : target,
  );
  call.compiled = { ...call.compiled, endpoint, targets };
  const read = async () => {
    Object.assign(call, await world.step.enter(call));
    const chunks: CompletionChunk[] = [];
    if (call.reply?.kind === "stream") for await (const batch of call.reply.stream.batches) chunks.push(...batch);
    return chunks;
  };
  return { ...world, asked, cut, read };
}

async function* batchesOf(...batches: CompletionChunk[][]) {
  for (const batch of batches) yield await Promise.resolve(batch);
}

test("a stream that breaks off is continued by the next target, from its text", async () => {
  const { read, asked, call, step, health } = createBrokenWorld(() => ({
    batches: batchesOf(text("half of it, and "), text("the second."), text("", "stop")),
  }));
  const chunks = await read();
  expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join("")).toBe(
    "The first half of it, and the second.",
  );
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe("stop");
  expect(asked[1]).toEqual([{ role: "assistant", content: "The first half of it, " }]);
  await step.leave?.(call, { kind: "answered" });
  expect(call).toMatchObject({
    attempts: 2,
    answeredBy: { target: { provider: "b" } },
    givenUp: [{ target: { target: { provider: "a" } } }],
    failures: [{ provider: "a", code: "cut" }],
  });
  expect(health.reports().find(({ provider }) => provider === "a")?.lastFailure?.code).toBe("cut");
});

test("a stream that no other target continues breaks off, and is billed once", async () => {
  const refused = new ProviderError("status", "no prefill", { status: 400 }).asFree();
  const { read, cut, call, step, health } = createBrokenWorld(() => refused);
  await expect(read()).rejects.toBe(cut);
  await step.leave?.(call, { kind: "failed", error: toCallError(cut) });
  expect(call.failures.map(({ provider, code }) => [provider, code])).toEqual([
    ["a", "cut"],
    ["b", "status_400"],
  ]);
  expect(health.reports().find(({ provider }) => provider === "a")?.consecutiveFailures).toBe(1);
  expect(call).toMatchObject({ answeredBy: { target: { provider: "a" } }, givenUp: [], prefill: undefined });
});

test("the text of a held stream that breaks off is kept for its bill", async () => {
  async function* breaking() {
    yield await Promise.resolve(text("half of it"));
    throw new ProviderError("cut", "broke off");
  }
  const { step, call } = createWorld({
    stream: async ({ provider }) =>
      await Promise.resolve({ batches: provider === "a" ? breaking() : batchesOf(text("all", "stop")) }),
  });
  call.compiled = { ...call.compiled, endpoint: { ...call.compiled.endpoint, midStream: "hold", holdTokens: null } };
  await step.enter(call);
  expect(call).toMatchObject({
    givenUp: [{ target: { target: { provider: "a" } }, text: "half of it" }],
    answeredBy: { target: { provider: "b" } },
  });
});

function createWorld(adapter: Partial<ProviderAdapter>, { deadlineMs = 60_000 } = {}) {
  const clock = { at: 0 };
  const now = () => clock.at;
  const health = new ProviderHealth({ now });
  const { spans, tracing } = recordingTracing();
  const adapterFor = () => adapter as ProviderAdapter;
  const firstTokenTimeout = new FirstTokenTimeout(now, shortMs);
  const step = createProviderStep({
    adapterFor,
    bounds: { ...bounds, firstTokenMs: 4 },
    firstTokenTimeout,
    deadlineMs,
    tracing,
    health,
    now,
  });
  return { clock, health, spans, step, call: callOf(tracing) };
}

function callOf(tracing: Tracing): Prompted {
  const address = { kind: "mock" as const, baseUrl: undefined, apiKey: undefined, model: "m" };
  const targets = ["a", "b"].map((provider) => {
    return { kind: "ready" as const, target: { provider, model: "m" }, address: { provider, ...address } };
  });
  const endpoint = { parameters: null, outputSchema: null, timeoutMs: null, maxResponseTokens: null } as Endpoint;
  const input: CallInput = {
    surface: "chat.direct",
    requestId: "r",
    ipAddress: "192.0.2.1",
    principal: { project: { uuid: "p" } } as CallInput["principal"],
    countTexts: async () => await Promise.reject(new Error("not counted")),
    span: tracing.start("call", { kind: "server" }),
    abort: new LightAbort(),
    read: async () => await Promise.reject(new Error("not read")),
  };
  const compiled = { endpoint, targets, mayStream: true } as unknown as CompiledEndpoint;
  const request = { slug: "s", messages: [], stream: true, sessionId: undefined, variables: {}, asSent: {} };
  return Object.assign(receive(input), { compiled, request, messages: [] });
}

const streamed: Partial<ProviderAdapter> = { stream: async () => await Promise.resolve(stream) };

async function runTo(outcome: Outcome) {
  const world = createWorld(streamed);
  await world.step.enter(world.call);
  world.clock.at += 40;
  await world.step.leave?.(world.call, outcome);
  return world;
}

test("a stream that breaks off counts against its provider's health and is recorded on the span", async () => {
  const broken = toCallError(new ProviderError("cut", "broke off"));
  const { health, call, spans } = await runTo({ kind: "failed", error: broken });
  expect(health.reports()).toMatchObject([{ provider: "a", consecutiveFailures: 1, lastFailure: { code: "cut" } }]);
  expect(call.failures).toEqual([{ provider: "a", model: "m", code: "cut", durationMs: 40 }]);
  expect(spans[0]).toMatchObject({ "gatehouse.attempts": 1, "gatehouse.failed_attempts": ["a:cut"] });
});

test.each<Outcome>([
  { kind: "answered" },
  { kind: "abandoned" },
  { kind: "failed", error: new GatewayError("unavailable", "The session could not be stored.") },
])("a stream that ends $kind without the provider's fault does not count against it", async (outcome) => {
  const { health, call } = await runTo(outcome);
  expect(health.reports()).toMatchObject([{ consecutiveFailures: 0, lastFailure: undefined }]);
  expect(call.failures).toEqual([]);
});

test("a failover's spans have providers and error codes, and callers get neither", async () => {
  const { step, call, spans } = createWorld({
    stream: async ({ provider }) => {
      if (provider === "a") throw new ProviderError("status", "a quoted prompt", { status: 503 });
      return await Promise.resolve(stream);
    },
  });
  await step.enter(call);
  await step.leave?.(call, { kind: "answered" });
  expect(call).toMatchObject({ attempts: 2, answeredBy: { target: { provider: "b" } } });
  const [ofCall, first, second] = spans;
  expect(ofCall).toEqual({ "gatehouse.attempts": 2, "gatehouse.failed_attempts": ["a:status_503"] });
  expect(first).toMatchObject({ "gatehouse.provider": "a", "gatehouse.failure": "status_503" });
  expect(second).not.toHaveProperty("gatehouse.failure");
  expect(JSON.stringify(spans)).not.toContain("quoted");
});

test("the first-token time-out is shorter while another target can be asked", async () => {
  const waits: unknown[] = [];
  const { step, call } = createWorld({
    stream: async ({ provider }, _request, { bounds: { firstTokenMs } }) => {
      waits.push([provider, firstTokenMs]);
      if (provider === "a") throw new ProviderError("timeout", "no first token");
      return await Promise.resolve(stream);
    },
  });
  await step.enter(call);
  expect(waits).toEqual([
    ["a", shortMs],
    ["b", 4],
  ]);
});

test("a call that exceeds its deadline has that error, and does not count against the provider's health", async () => {
  const world = createWorld(
    {
      stream: async (_address, _request, { signal }) => {
        return await new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new ProviderError("aborted", "given up")));
        });
      },
    },
    { deadlineMs: 1 },
  );
  const refusal = await world.step.enter(world.call);
  expect(refusal).toMatchObject({ message: "Provider call failed: no answer within 1 ms." });
  expect(world.health.reports()).toMatchObject([{ consecutiveFailures: 0, lastFailure: undefined }]);
});

test("an abandoned stream does not count for health, neither when its caller leaves nor at the deadline", async () => {
  const deadline = new GatewayError("provider_failed", "no answer in time");
  for (const outcome of [{ kind: "abandoned" }, { kind: "failed", error: deadline }] satisfies Outcome[]) {
    const { health, step, call } = createWorld(streamed);
    const [target] = call.compiled?.targets ?? [];
    if (target?.kind !== "ready") throw new Error("There is no target.");
    health.watch(target.address).ended(new ProviderError("timeout", "slow"));
    await step.enter(call);
    if (outcome.kind === "failed") call.abort.abort(deadline);
    await step.leave?.(call, outcome);
    expect(health.reports()).toMatchObject([{ provider: "a", consecutiveFailures: 1 }]);
  }
});

test("a complete answer counts for health at once, regardless of later steps", async () => {
  const { health, step, call } = createWorld({ complete: async () => await Promise.resolve(completion) });
  const [target] = call.compiled?.targets ?? [];
  if (target?.kind !== "ready") throw new Error("There is no target.");
  health.watch(target.address).ended(new ProviderError("timeout", "slow"));
  Object.assign(call, { request: { ...call.request, stream: false } });
  await step.enter(call);
  expect(health.reports()).toMatchObject([{ provider: "a", consecutiveFailures: 0 }]);
  await step.leave?.(call, { kind: "failed", error: new GatewayError("output_schema_failed", "no") });
  expect(health.reports()).toMatchObject([{ provider: "a", consecutiveFailures: 0 }]);
});
