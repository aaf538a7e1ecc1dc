import { clientGone, GatewayError } from "@gatehouse/errors";
import type { GatewayLogEntry } from "@gatehouse/gateway-log";
import { expect, test } from "vitest";
import type { Received, Outcome, Surface } from "../call.ts";
import { createLogStep } from "./log.ts";

const prompt = "what nobody may log";
const target = { provider: "p", model: "m" };

function callOf(changes: Partial<Received> = {}): Received {
  return {
    surface: "chat.direct",
    requestId: "r",
    principal: { tokenId: 7, project: { uuid: "project" } },
    span: { traceId: "0af7651916cd43dd8448eb211c80319c" },
    request: { messages: [{ role: "user", content: prompt }], variables: {}, asSent: {} },
    messages: [{ role: "user", content: prompt }],
    compiled: { endpoint: { uuid: "endpoint" } },
    attempts: 0,
    failures: [],
    slowSteps: [],
    isUsageEstimated: false,
    ...changes,
  } as unknown as Received;
}

/** Runs a call through the step and returns its entry. */
function entryOf(call: Received, outcome: Outcome): GatewayLogEntry | undefined {
  const entries: GatewayLogEntry[] = [];
  let nowMs = 1_000;
  const step = createLogStep({
    gatewayLog: { append: (entry) => void entries.push(entry) },
    wallNow: () => (nowMs += 5),
  });
  void step.enter(call);
  expect(entries).toEqual([]);
  void step.leave?.(call, outcome);
  expect(entries).toHaveLength(1);
  expect(JSON.stringify(entries)).not.toContain(prompt);
  return entries[0];
}

const answered: Outcome = { kind: "answered" };
const billed: Partial<Received> = {
  answeredBy: { kind: "ready", target, address: {} as never },
  attempts: 1,
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  cost: { costMicros: 42, priceUnknown: false, isPresumed: false },
};
const streamed: Partial<Received> = { ...billed, reply: { kind: "stream", stream: {} as never }, isStreamed: true };
const failure = (code: "endpoint_not_found" | "provider_failed" | "rate_limited", message: string): Outcome => {
  return { kind: "failed", error: new GatewayError(code, message) };
};

test("the entry of an answered call has its caller, target, cost and duration", () => {
  expect(entryOf(callOf(billed), answered)).toEqual({
    atMs: 1_005,
    durationMs: 5,
    requestId: "r",
    traceId: "0af7651916cd43dd8448eb211c80319c",
    projectUuid: "project",
    endpointUuid: "endpoint",
    tokenId: 7,
    user: undefined,
    route: "chat_direct",
    status: 200,
    error: undefined,
    provider: "p",
    model: "m",
    attempts: 1,
    promptTokens: 10,
    completionTokens: 5,
    costMicros: 42,
    details: undefined,
  });
});

test("tokens that the provider read from its cache are in the details, within those of the prompt", () => {
  const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
  const cached = (cached_tokens: number) => ({ usage: { ...usage, prompt_tokens_details: { cached_tokens } } });
  const detailsOf = (changes: Partial<Received>) => entryOf(callOf({ ...billed, ...changes }), answered)?.details;
  expect(detailsOf(cached(8))).toEqual({ cached_tokens: 8 });
  expect(detailsOf(cached(80))).toEqual({ cached_tokens: 10 });
  expect(detailsOf(cached(0))).toBeUndefined();
});

test.each([
  { of: "the header", user: "ann", asSent: { user: "bob", safety_identifier: "carl" }, expected: "ann" },
  { of: "the body's user", asSent: { user: " bob\n", safety_identifier: "carl" }, expected: "bob" },
  { of: "the body's safety_identifier", asSent: { user: {}, safety_identifier: "carl" }, expected: "carl" },
  { of: "nothing", asSent: {}, expected: undefined },
])("the user is taken from $of", ({ user, asSent, expected }) => {
  const request = { messages: [], variables: {}, asSent } as never;
  expect(entryOf(callOf({ user, request }), answered)?.user).toBe(expected);
});

test.each<[Surface, string]>([
  ["chat.direct", "chat_direct"],
  ["chat.dispatcher", "chat_dispatcher"],
  ["wrapper.chat", "wrapper_chat"],
  ["wrapper.completions", "wrapper_completions"],
  ["wrapper.embeddings", "wrapper_embeddings"],
  ["mcp.bridge", "mcp_bridge"],
])("a call of the surface %s is of the route %s", (surface, route) => {
  expect(entryOf(callOf({ surface }), answered)).toMatchObject({ route });
});

test("a call that was refused has the status and the message that were sent, and no tokens", () => {
  const entry = entryOf(callOf({ compiled: undefined }), failure("rate_limited", "Rate limit exceeded."));
  expect(entry).toMatchObject({
    status: 429,
    error: "Rate limit exceeded.",
    errorCode: "rate_limited",
    attempts: 0,
  });
  expect(entry?.endpointUuid).toBeUndefined();
  expect(entry?.promptTokens).toBeUndefined();
  expect(entry?.costMicros).toBeUndefined();
});

test("a refused call of MCP Bridge has status 200, JSON-RPC's message and its own code", () => {
  const request = { slug: "nope", messages: [], stream: false, sessionId: undefined, variables: {}, asSent: {} };
  const unknown = failure("endpoint_not_found", "Endpoint 'nope' not found or inactive.");
  expect(entryOf(callOf({ surface: "mcp.bridge", compiled: undefined, request }), unknown)).toMatchObject({
    status: 200,
    error: "Unknown tool: nope",
    errorCode: "endpoint_not_found",
    details: { code: "endpoint_not_found" },
  });
  const limited = failure("rate_limited", "Rate limit exceeded.");
  expect(entryOf(callOf({ surface: "mcp.bridge" }), limited)).toMatchObject({
    status: 200,
    error: "Rate limit exceeded.",
    details: { code: "rate_limited" },
  });
});

test("a stream that breaks off has status 200 and its usage", () => {
  const entry = entryOf(callOf(streamed), failure("provider_failed", "Provider call failed: x"));
  expect(entry).toMatchObject({ status: 200, error: "Provider call failed: x", costMicros: 42 });
  expect(entry?.details).toEqual({ stream: true });
});

test.each<[string, Partial<Received>, number | undefined]>([
  ["nothing was sent", {}, undefined],
  [
    "nothing was sent to the last of its targets",
    { askedLast: { kind: "ready", target, address: {} as never } },
    undefined,
  ],
  ["its reply was whole", { ...billed, reply: { kind: "complete", completion: {} as never } }, 10],
  ["its reply was a stream", streamed, 10],
  ["it came over MCP", { ...billed, surface: "mcp.bridge" }, 10],
])("a call whose caller left has status 499 and the code cancelled: %s", (_name, changes, promptTokens) => {
  const entry = entryOf(callOf(changes), { kind: "abandoned" });
  expect(entry).toMatchObject({
    status: 499,
    errorCode: "cancelled",
    error: clientGone().message,
  });
  expect(entry?.promptTokens).toBe(promptTokens);
});

test.each<[string, Partial<Received>, number]>([
  ["nothing was sent", {}, 401],
  ["its reply was a stream", streamed, 200],
  ["it came over MCP", { ...billed, surface: "mcp.bridge" }, 401],
])(
  "a call whose reply the gateway has ended has the status and the error that were sent: %s",
  (_name, changes, status) => {
    const endedBy = () => new GatewayError("invalid_token", "Invalid or revoked token.");
    for (const outcome of [{ kind: "abandoned" } as const, failure("provider_failed", "x")]) {
      const entry = entryOf(callOf({ ...changes, endedBy }), outcome);
      expect(entry).toMatchObject({ status, errorCode: "invalid_token", error: "Invalid or revoked token." });
    }
  },
);

test("unknown prices, estimated usage and failed attempts are in the details", () => {
  const call = callOf({
    ...billed,
    cost: { costMicros: 0, priceUnknown: true, isPresumed: false },
    isUsageEstimated: true,
    failures: [
      { provider: "a", model: "m", code: "timeout", durationMs: 30_000.4 },
      { provider: "b", model: "m", code: "status_503", durationMs: 1_250 },
    ],
  });
  expect(entryOf(call, answered)?.details).toEqual({
    price_unknown: true,
    usage_estimated: true,
    failed_attempts: "a:timeout, b:status_503",
    failed_attempts_ms: "30000, 1250",
  });
});

test("slow steps are in the details, and the step that refused", () => {
  const slowSteps = [
    { name: "guardrails", durationMs: 3.4 },
    { name: "provider", durationMs: 811.6 },
  ];
  const call = callOf({ slowSteps, refusedBy: "output_schema" });
  expect(entryOf(call, failure("provider_failed", "x"))?.details).toEqual({
    steps_ms: "guardrails 3, provider 812",
    refused_by: "output_schema",
  });
});

test("a target chosen by the caller is in the details once it was called, and unchecked text never", () => {
  expect(entryOf(callOf({ chosenTarget: "2", attempts: 1 }), answered)?.details).toEqual({ chosen_target: 2 });
  expect(entryOf(callOf({ chosenTarget: "x".repeat(9_000), refusedBy: "rate_limit" }), answered)?.details).toEqual({
    refused_by: "rate_limit",
  });
});
