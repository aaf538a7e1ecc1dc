import { lazySignalOf } from "@gatehouse/async";
import { GatewayError } from "@gatehouse/errors";
import {
  type ConsultResponse,
  type DeepPartial,
  GuardrailServiceDefinition,
  type InspectRequest,
  InspectResponse,
} from "@gatehouse/proto/guardrail";
import { bindRpc, connectLocally } from "@gatehouse/rpc";
import type { Tracing } from "@gatehouse/telemetry";
import { expect, test } from "vitest";
import { CallContext } from "./call-context.ts";
import { createGuardrailClient } from "./create-guardrail-client.ts";

function setup() {
  const world = {
    now: 0,
    calls: 0,
    answer: {} as DeepPartial<InspectResponse> | GatewayError,
    piece: undefined as GatewayError | undefined,
    ofDocuments: {} as DeepPartial<InspectResponse> | GatewayError,
    documents: [] as unknown[],
    external: {} as DeepPartial<ConsultResponse> | GatewayError,
    consulted: [] as unknown[],
    known: [] as unknown[],
  };
  const rpc = connectLocally(
    bindRpc(GuardrailServiceDefinition, {
      async consult({ question, isParallel, isJoint }) {
        world.known.push(question?.placeholders);
        world.consulted.push([question?.texts.map(({ text }) => text), isParallel, isJoint]);
        if (world.external instanceof GatewayError) throw world.external;
        return await Promise.resolve(world.external);
      },
      async inspectPiece({ text }) {
        if (world.piece instanceof GatewayError) throw world.piece;
        return await Promise.resolve({ shown: text });
      },
      async inspect({ areDocuments, texts }) {
        if (areDocuments) {
          world.documents.push(texts.map(({ text }) => text));
          if (world.ofDocuments instanceof GatewayError) throw world.ofDocuments;
          return await Promise.resolve(world.ofDocuments);
        }
        world.calls += 1;
        if (world.answer instanceof GatewayError) throw world.answer;
        return await Promise.resolve(world.answer);
      },
    }),
  );
  const { spans, tracing } = recordingTracing();
  const client = createGuardrailClient(rpc, 1_000, () => world.now, tracing);
  const inspect = async (text = "hi", asksBeside = false) =>
    await client.inspect({
      asksBeside,
      projectUuid: "p",
      endpointUuid: "e",
      surface: "chat",
      side: "input",
      texts: () => [{ role: "user", text }],
      documents: () => [{ role: "parameter", text: `{"a":"${text}"}` }],
      abort: lazySignalOf(new AbortController().signal),
      traceparent: "of the call",
    });
  const inspectPiece = async () => {
    const piece = { projectUuid: "p", endpointUuid: "e", state: undefined, text: "hi", isLast: true };
    return await client.inspectPiece({ ...piece, signal: new AbortController().signal });
  };
  return { world, inspect, inspectPiece, spans };
}

/** Tracing that records the attributes of each span. */
function recordingTracing() {
  const spans: unknown[][] = [];
  const tracing: Tracing = {
    start(name, { kind, parent, attributes }) {
      const span: unknown[] = [name, kind, parent, attributes];
      spans.push(span);
      return {
        traceId: undefined,
        traceparent: undefined,
        isRecorded: true,
        set: (told) => span.push(told),
        end: (err) => span.push(err),
      };
    },
  };
  return { spans, tracing };
}

const away = new GatewayError("unavailable", "away");

test("the absence of a policy is remembered for 100 ms", async () => {
  const { world, inspect } = setup();
  world.answer = { policyAbsent: true };
  expect([await inspect(), await inspect(), world.calls]).toEqual([{ kind: "no_policy" }, { kind: "no_policy" }, 1]);
  world.now = 100;
  await inspect();
  expect(world.calls).toBe(2);
});

test("a judgement is translated, and never cached", async () => {
  const { world, inspect } = setup();
  world.answer = {
    blocked: true,
    message: "m",
    reason: "pii",
    findings: [
      { detector: "pii", score: 0.5, start: 1, end: 2 },
      { detector: "prompt_injection", score: 0.1 },
    ],
    maskedTexts: ["[X]"],
    maskedSpans: [{ textIndex: 0, start: 1, end: 2, label: "X" }],
    outputCheck: "OUTPUT_CHECK_AFTER_REPLY",
  };
  await inspect();
  expect(await inspect()).toEqual({
    kind: "judged",
    failsOpen: false,
    block: { detector: "pii", message: "m" },
    findings: [
      { detector: "pii", score: 0.5, isHit: true },
      { detector: "prompt_injection", score: 0.1, isHit: false },
    ],
    maskedTexts: ["[X]"],
    maskedSpans: [{ textIndex: 0, start: 1, end: 2, label: "X", isVerbatim: false }],
    outputCheck: "after_reply",
    placeholders: [],
  });
  expect(world.calls).toBe(2);
});

test.each([
  ["nothing", undefined, false],
  ["no policy", { policyAbsent: true }, true],
  ["a policy that fails closed", {}, false],
  ["a policy that fails open", { failsOpen: true }, true],
])("during an outage, an endpoint with %s known may pass as its policy allows", async (_name, known, mayPass) => {
  const { world, inspect, inspectPiece } = setup();
  if (known !== undefined) {
    world.answer = known;
    await inspect();
  }
  world.now = 1_000;
  for (const failure of [away, new GatewayError("deadline_exceeded", "late")]) {
    world.answer = failure;
    world.piece = failure;
    expect(await inspect()).toMatchObject({ kind: "unavailable", mayPass });
    expect(await inspectPiece()).toMatchObject({ kind: "unavailable", mayPass });
  }
});

test("a long text whose judgement is late is refused, since its caller chose the length", async () => {
  const { world, inspect } = setup();
  world.answer = { failsOpen: true };
  await inspect();
  world.answer = new GatewayError("deadline_exceeded", "late");
  expect(await inspect("a".repeat(40_000))).toMatchObject({ kind: "unavailable", mayPass: false });
  world.answer = away;
  expect(await inspect("a".repeat(40_000))).toMatchObject({ kind: "unavailable", mayPass: true });
});

test("a failure other than an outage is thrown", async () => {
  const { world, inspect } = setup();
  world.answer = { failsOpen: true };
  await inspect();
  world.answer = new GatewayError("internal", "Unexpected error.");
  await expect(inspect()).rejects.toMatchObject({ code: "internal" });
});

test("each question has a span with the decision, and without the texts", async () => {
  const { world, inspect, spans } = setup();
  const head = ["guardrail inspect", "client", "of the call", { "gatehouse.guardrail.side": "input" }];
  world.answer = { blocked: true, message: "keyword 'Falcon'", reason: "keyword" };
  await inspect();
  world.answer = { maskedTexts: ["[X]"] };
  await inspect();
  world.answer = away;
  await inspect();
  world.answer = { policyAbsent: true };
  await inspect();
  await inspect();
  expect(spans).toEqual([
    [...head, { "gatehouse.guardrail.blocked": true, "gatehouse.guardrail.detector": "keyword" }, undefined],
    [...head, { "gatehouse.guardrail.blocked": false, "gatehouse.guardrail.masked": true }, undefined],
    [...head, expect.objectContaining({ code: "unavailable" })],
    [...head, { "gatehouse.guardrail.policy": "none" }, undefined],
  ]);
});

test("external guardrails get masked texts, and their spans cover the earlier ones", async () => {
  const { world, inspect } = setup();
  world.answer = {
    maskedTexts: ["[X]"],
    maskedSpans: [{ textIndex: 0, start: 1, end: 2, label: "X" }],
    consultMs: 500,
    parallelConsultMs: 700,
  };
  world.external = {
    maskedTexts: ["y"],
    maskedSpans: [{ textIndex: 0, start: 0, end: 3, label: "y", isVerbatim: true }],
  };
  expect(await inspect()).toMatchObject({
    maskedTexts: ["y"],
    maskedSpans: [{ textIndex: 0, start: 0, end: 2, label: "y", isVerbatim: true }],
  });
  expect(world.consulted).toEqual([[["[X]"], false, true]]);
});

test("guardrails in parallel with the model are asked only by callers that support them, and not about blocked calls", async () => {
  const { world, inspect } = setup();
  world.answer = { parallelConsultMs: 700 };
  world.external = { blocked: true, reason: "external", message: "no" };
  world.answer = { parallelConsultMs: 700, findings: [{ detector: "pii", start: 0, end: 1 }] };
  const judged = await inspect("hi", true);
  expect([judged.kind, world.consulted]).toEqual(["judged", []]);
  const beside = judged.kind === "judged" ? await judged.askBeside?.() : undefined;
  expect(beside).toMatchObject({ kind: "judged", findings: [], block: { detector: "external", message: "no" } });
  expect(world.consulted).toEqual([[["hi"], true, false]]);
  world.answer = { blocked: true, reason: "pii", message: "m", consultMs: 500 };
  await inspect();
  expect(world.consulted).toHaveLength(1);
});

test("a mandatory external guardrail that fails refuses the call, regardless of on_unavailable", async () => {
  const { world, inspect } = setup();
  world.answer = { consultMs: 500, failsOpen: true };
  world.external = { isRefused: true };
  expect(await inspect()).toMatchObject({ kind: "unavailable", mayPass: false });
  world.external = away;
  world.answer = { consultMs: 500, failsOpen: true, maskedTexts: ["[X]"] };
  expect(await inspect()).toMatchObject({
    kind: "judged",
    maskedTexts: ["[X]"],
    unasked: expect.objectContaining({ code: "unavailable" }) as object,
  });
  world.answer = { consultMs: 500, maskedTexts: ["[X]"] };
  expect(await inspect()).toMatchObject({ kind: "unavailable", mayPass: false });
});

test("whole values are asked about only where the policy has patterns for them and the texts may pass", async () => {
  const { world, inspect } = setup();
  const finding = { detector: "pattern", label: "p", end: 1 };
  const block = { blocked: true, reason: "pattern", message: "m" };
  world.answer = { findings: [finding] };
  await inspect();
  world.answer = { ...block, asksDocuments: true };
  await inspect();
  expect(world.documents).toEqual([]);
  world.answer = { findings: [finding], asksDocuments: true, maskedTexts: ["h"] };
  world.ofDocuments = { findings: [finding] };
  expect(await inspect()).toMatchObject({ block: undefined, findings: [{ isHit: true }, {}], maskedTexts: ["h"] });
  world.ofDocuments = { ...block, findings: [finding] };
  expect(await inspect()).toMatchObject({ block: { detector: "pattern", message: "m" }, findings: [{}, {}] });
  expect(world.documents).toEqual([['{"a":"hi"}'], ['{"a":"hi"}']]);
});

test.each([true, false])(
  "a long value whose judgement is late is refused, by a policy that fails open: %s",
  async (failsOpen) => {
    const { world, inspect } = setup();
    world.answer = { asksDocuments: true, failsOpen };
    world.ofDocuments = new GatewayError("deadline_exceeded", "late");
    expect(await inspect()).toMatchObject({ kind: "unavailable", mayPass: failsOpen });
    await expect(inspect("x".repeat(40_000))).rejects.toMatchObject({ code: "guardrail_blocked" });
  },
);

test("external guardrails continue with the placeholders of the gateway's own masks", async () => {
  const { world, inspect } = setup();
  const [first, second] = [1, 2].map((number) => ({ label: `X ${number}`, value: "h" }));
  world.answer = { maskedTexts: ["[X 1]"], placeholders: [first ?? {}], consultMs: 500 };
  expect(await inspect()).toMatchObject({ placeholders: [first] });
  world.external = { maskedTexts: ["y"], placeholders: [first ?? {}, second ?? {}] };
  expect(await inspect()).toMatchObject({ placeholders: [first, second] });
  expect(world.known).toEqual([[first], [first]]);
});

test("an answer that is at hand comes without a promise, and nothing is worked out for it", () => {
  const unexpected = () => {
    throw new Error("This is made only when it is read.");
  };
  const requests: InspectRequest[] = [];
  const direct = {
    inspect(request: InspectRequest) {
      requests.push(request);
      return InspectResponse.fromPartial({ outputCheck: "OUTPUT_CHECK_BEFORE_REPLY" });
    },
  };
  const methods = { inspect: unexpected, inspectPiece: unexpected, consult: unexpected };
  const rpc = connectLocally(bindRpc(GuardrailServiceDefinition, methods, direct));
  const facts = { tokenId: 1, surface: "chat", requestId: "r", models: unexpected, headers: unexpected } as const;
  const answer = createGuardrailClient(rpc, 1_000, () => 0).inspect({
    projectUuid: "p",
    endpointUuid: undefined,
    surface: "chat",
    side: "input",
    texts: () => [{ role: "user", text: "hi" }],
    abort: {
      aborted: false,
      get signal() {
        return unexpected();
      },
    },
    context: () => new CallContext(facts),
    traceparent: undefined,
  });
  expect(answer).toMatchObject({ kind: "judged", outputCheck: "before_reply" });
  expect(requests).toMatchObject([{ texts: [{ role: "user", text: "hi", tool: "", addedLength: 0 }] }]);
});
