import { expect, test } from "vitest";
import { requestIdLengthMax, parseMessage } from "./log-entry.ts";

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
