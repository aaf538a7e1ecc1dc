import { expect, test } from "vitest";
import type { Admitted } from "../app/call.ts";
import { isAwaited } from "./reply-form.ts";

const held = { mayStream: false, endpoint: { streamingEnabled: false, midStream: "error" } };

const passing = { mayStream: true, endpoint: { streamingEnabled: true, midStream: "error" } };

function call(compiled: object, { stream = true, surface = "wrapper.chat", outputCheck = "none" } = {}): Admitted {
  return { surface, request: { stream }, compiled, outputCheck } as unknown as Admitted;
}

test("a caller of a stream waits if the answer must be complete before it is sent", () => {
  expect(isAwaited(call(held))).toBe(true);
});

test.each([
  ["no stream was requested", held, { stream: false }],
  ["a chat route's endpoint may not stream", held, { surface: "chat.direct" }],
  ["chunks are passed on as they come", { ...held, mayStream: true }, {}],
])("no caller waits where %s", (_case, compiled, options) => {
  expect(isAwaited(call(compiled, options))).toBe(false);
});

test("a caller waits for an endpoint that holds its streams, as for one that must not stream", () => {
  expect(isAwaited(call({ mayStream: true, endpoint: { streamingEnabled: true, midStream: "hold" } }))).toBe(true);
});

test("a caller waits for an answer whose guardrails judge whole values of it", () => {
  expect(isAwaited(call(passing, { outputCheck: "whole" }))).toBe(true);
  expect(isAwaited(call(passing, { outputCheck: "whole", stream: false }))).toBe(false);
  expect(isAwaited(call(passing, { outputCheck: "before_reply" }))).toBe(false);
});
