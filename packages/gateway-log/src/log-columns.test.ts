import { expect, test } from "vitest";
import { gatewayLogBounds } from "./bounds.ts";
import type { GatewayLogEntry } from "./gateway-log-entry.ts";
import { bytesAtMost, toMembers } from "./log-columns.ts";

const entry: GatewayLogEntry = {
  atMs: 1_700_000_000_000,
  requestId: "r",
  route: "chat_direct",
  status: 200,
  durationMs: 3.4,
};
const encode = (changes: Partial<GatewayLogEntry>) =>
  JSON.parse(JSON.stringify(toMembers({ ...entry, ...changes }))) as Record<string, unknown>;

test("an entry has the names of the logbook's columns, and no absent fields", () => {
  expect(encode({ tokenId: 7, user: "ann", costMicros: 12 })).toEqual({
    at_ms: 1_700_000_000_000,
    request_id: "r",
    route: "chat_direct",
    status: 200,
    duration_ms: 3,
    attempts: 0,
    token_id: 7,
    user_name: "ann",
    cost_micros: 12,
  });
});

test("an error is sent with its code and message", () => {
  const failed = encode({ error: "Rate limit exceeded.", errorCode: "rate_limited" });
  expect(failed).toMatchObject({ error: "Rate limit exceeded.", error_code: "rate_limited" });
});

test("a text that Postgres would refuse is repaired, and a long one is cut", () => {
  const { error, model } = encode({ error: "a\0b\ud800c", model: "m".repeat(10_000) });
  expect(error).toBe("a\ufffdb\ufffdc");
  expect(model).toHaveLength(gatewayLogBounds.textLengthMax);
});

test("a caller's request id is repaired too", () => {
  expect(encode({ requestId: "\ud800" })["request_id"]).toBe("\ufffd");
});

test("a pair of surrogates that the cut splits is repaired", () => {
  const { model } = encode({ model: "\u{1f600}".repeat(gatewayLogBounds.textLengthMax) });
  expect(model).toBe(`${"\u{1f600}".repeat(gatewayLogBounds.textLengthMax / 2 - 1)}\ufffd…`);
});

test("a text in the details that Postgres would refuse is repaired, so that its caller is logged", () => {
  const details = { tool: "t\0\ud800", price_unknown: true };
  expect(encode({ details })["details"]).toEqual({ tool: "t\ufffd\ufffd", price_unknown: true });
});

test("details above the bound are replaced by a marker", () => {
  expect(encode({ details: { note: "x".repeat(5_000) } })["details"]).toEqual({ details_too_long: true });
  expect(encode({ details: { note: "x" } })["details"]).toEqual({ note: "x" });
});

test("details are kept when the entry's other texts are long", () => {
  const long = "é".repeat(600);
  const changes = { error: long, model: long, provider: long, requestId: long, details: { price_unknown: true } };
  expect(encode(changes)["details"]).toEqual({ price_unknown: true });
});

test.each([
  [
    { promptTokens: 2 ** 31, completionTokens: 9e15 },
    { prompt_tokens: 2_147_483_647, completion_tokens: 2_147_483_647 },
  ],
  [
    { promptTokens: -(2 ** 40), completionTokens: 1.6 },
    { prompt_tokens: -2_147_483_647, completion_tokens: 2 },
  ],
  [
    { promptTokens: Number.NaN, costMicros: Number.NaN },
    { prompt_tokens: 0, cost_micros: 0 },
  ],
  [
    { durationMs: 1e12, attempts: 1e12 },
    { duration_ms: 2_147_483_647, attempts: 2_147_483_647 },
  ],
  [
    { durationMs: Number.NaN, costMicros: 1e300 },
    { duration_ms: 0, cost_micros: Number.MAX_SAFE_INTEGER },
  ],
])("a number that its column cannot hold is clamped, so that its entry is stored: %j", (given, sent) => {
  expect(encode(given)).toMatchObject(sent);
});

const uuid = "0b2f7b8e-3c57-4a6d-9f1e-0123456789ab";

test.each(["", "a", "\u0001", '"', "é", "語", "\u{1f600}", "\ud800"])(
  "an entry takes no more bytes in a message than its bound: texts of %j",
  (character) => {
    const text = character.repeat(600);
    const members = toMembers({
      atMs: -Number.MAX_VALUE,
      requestId: text,
      traceId: text,
      projectUuid: uuid,
      endpointUuid: uuid,
      tokenId: -1e12,
      user: text,
      route: text,
      status: -1e12,
      error: text,
      errorCode: "guardrail_blocked",
      durationMs: 1e12,
      provider: text,
      model: text,
      attempts: -1e12,
      promptTokens: -1e12,
      completionTokens: -1e12,
      costMicros: -Number.MAX_VALUE,
      details: { [character]: character.repeat(50), number: -Number.MAX_VALUE, isTrue: false, none: null },
    });
    expect(Buffer.byteLength(JSON.stringify(members)) + 1).toBeLessThanOrEqual(bytesAtMost(members));
  },
);
