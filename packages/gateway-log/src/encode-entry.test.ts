import { expect, test } from "vitest";
import { gatewayLogBounds } from "./bounds.ts";
import { encodeEntry } from "./encode-entry.ts";
import type { GatewayLogEntry } from "./gateway-log-entry.ts";

const entry: GatewayLogEntry = {
  atMs: 1_700_000_000_000,
  requestId: "r",
  route: "chat_direct",
  status: 200,
  durationMs: 3.4,
};
const encode = (changes: Partial<GatewayLogEntry>) =>
  JSON.parse(encodeEntry({ ...entry, ...changes })) as Record<string, unknown>;

test("an entry travels under the names of the logbook's columns, without what is absent", () => {
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

test("an error travels with its code beside the message", () => {
  const failed = encode({ error: "Rate limit exceeded.", errorCode: "rate_limited" });
  expect(failed).toMatchObject({ error: "Rate limit exceeded.", error_code: "rate_limited" });
});

test("a text that Postgres would refuse is fixed, and a long one is cut", () => {
  const { error, model } = encode({ error: "a\0b\ud800c", model: "m".repeat(10_000) });
  expect(error).toBe("a\ufffdb\ufffdc");
  expect(model).toHaveLength(gatewayLogBounds.textLengthMax);
});

test("a caller's request id is fixed too", () => {
  expect(encode({ requestId: "\ud800" })["request_id"]).toBe("\ufffd");
});

test("a text of the details that Postgres would refuse is fixed, so that its caller stays in the log", () => {
  const details = { tool: "t\0\ud800", price_unknown: true };
  expect(encode({ details })["details"]).toEqual({ tool: "t\ufffd\ufffd", price_unknown: true });
});

test("details that are too long are replaced by a word that says so", () => {
  expect(encode({ details: { note: "x".repeat(5_000) } })["details"]).toEqual({ details_too_long: true });
  expect(encode({ details: { note: "x" } })["details"]).toEqual({ note: "x" });
});

test("details of an entry whose other texts are long stay", () => {
  const long = "é".repeat(600);
  const changes = { error: long, model: long, provider: long, requestId: long, details: { price_unknown: true } };
  expect(encode(changes)["details"]).toEqual({ price_unknown: true });
});
