import type { GatewayLogEntry } from "@gatehouse/gateway-log";
import { toLogMessage } from "@gatehouse/gateway-log/testing";
import { expect, test } from "vitest";
import { requestIdLengthMax, parseMessage, readMessage } from "./log-entry.ts";

const uuid = "0b2f7b8e-3c57-4a6d-9f1e-0123456789ab";
const entry = { at_ms: 1_000, request_id: "r", route: "chat_direct", status: 200, duration_ms: 1, attempts: 1 };

test.each([
  ["no time", { at_ms: undefined }],
  ["a time that is not a number", { at_ms: "1" }],
  ["no request id", { request_id: null }],
  ["NUL in a text", { error: "a\0b" }],
  ["a request id that no index takes", { request_id: "x".repeat(requestIdLengthMax + 1) }],
  ["a fraction", { duration_ms: 1.5 }],
  ["an integer beyond 32 bits", { token_id: 2 ** 31 }],
  ["a cost beyond what is exact", { cost_micros: 2 ** 53 }],
  ["no uuid", { project_uuid: "shop" }],
  ["a uuid followed by more characters", { endpoint_uuid: `${uuid}\n` }],
])("an entry with %s is refused, and the others are kept", (_name, changes) => {
  const good = { ...entry, project_uuid: uuid, token_id: 2 ** 31 - 1, cost_micros: 2 ** 53 - 1, error: null };
  const parsed = parseMessage(JSON.stringify([good, { ...entry, ...changes }, entry]));
  expect(parsed).toEqual({ entries: [good, entry], refused: 1 });
});

test.each(["", "[{", "{}", "null", '"text"'])("a message that is not a list (%s) is one refusal", (body) => {
  expect(parseMessage(body)).toEqual({ entries: [], refused: 1 });
});

test("unknown members and codes of a newer service do not refuse an entry", () => {
  const newer = { ...entry, error: "x", error_code: "of_tomorrow", some_column: { of: "tomorrow" } };
  expect(parseMessage(JSON.stringify([newer]))).toEqual({ entries: [newer], refused: 0 });
});

test("members that are not objects are refused", () => {
  expect(parseMessage('[null, 1, "a", []]')).toEqual({ entries: [], refused: 4 });
});

const published: GatewayLogEntry = {
  atMs: 1_000.4,
  requestId: "r",
  projectUuid: uuid,
  route: "chat_direct",
  status: 200,
  durationMs: 1.5,
};

test.each<[string, Partial<GatewayLogEntry>]>([
  ["NUL in its texts", { requestId: "\0", error: "a\0b", details: { tool: "\0", n: 1 } }],
  ["lone surrogates in its texts", { requestId: "\ud800", model: "\udfff", details: { tool: "\ud800" } }],
  ["texts and details beyond their bounds", { requestId: "x".repeat(2_000), details: { note: "x".repeat(5_000) } }],
  ["numbers beyond their bounds", { status: 1e12, promptTokens: -1e12, costMicros: 1e300, durationMs: -1 }],
  ["numbers that are none", { atMs: Number.NaN, completionTokens: Number.NaN, costMicros: Number.NaN }],
  ["no uuid", { projectUuid: "shop" }],
  ["no uuid, after an entry of the same project", { endpointUuid: `${uuid}\n` }],
])("a message of this process and its body have the same entries: one with %s", (_name, changes) => {
  const other = "11111111-3c57-4a6d-9f1e-0123456789ab";
  const entries = [published, { ...published, ...changes }, { ...published, projectUuid: other }, published];
  const message = toLogMessage(entries);
  const read = readMessage(message);
  const encoded = { id: message.id, body: message.body };
  expect(readMessage(encoded)).toEqual(read);
  expect(read.entries).toHaveLength("projectUuid" in changes || "endpointUuid" in changes ? 3 : 4);
});
