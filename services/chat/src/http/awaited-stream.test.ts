import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Admitted } from "../app/call.ts";
import { AwaitedStream } from "./awaited-stream.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const keepAlive = { afterMs: 10_000, everyMs: 5_000 };

function createWorld(compiled: object, { stream = true, surface = "wrapper.chat" } = {}) {
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  const socket = new PassThrough();
  res.assignSocket(socket as unknown as Socket);
  const sent = () => String(socket.read() ?? "");
  const call = { surface, request: { stream }, requestId: "r", isStreamed: false, compiled } as unknown as Admitted;
  const awaited = new AwaitedStream(res, keepAlive);
  awaited.begin(call);
  return { awaited, call, sent };
}

const held = { mayStream: false, endpoint: { streamingEnabled: false, midStream: "error" } };

test("comments keep the connection alive from when an answer takes long", async () => {
  const { awaited, call, sent } = createWorld(held);
  await vi.advanceTimersByTimeAsync(9_999);
  expect([sent(), call.isStreamed]).toEqual(["", false]);
  await vi.advanceTimersByTimeAsync(1);
  expect(sent()).toMatch(/^HTTP\/1.1 200 OK\r\nx-request-id: r\r\n[^]*text\/event-stream/);
  expect(call.isStreamed).toBe(true);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sent()).toContain(": keep-alive");
  expect(awaited.end()).toBeDefined();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent()).toBe("");
});

test("an answer or an error that comes in time finds nothing sent", () => {
  const { awaited, sent } = createWorld(held);
  vi.advanceTimersByTime(9_999);
  expect(awaited.end()).toBeUndefined();
  vi.advanceTimersByTime(60_000);
  expect(sent()).toBe("");
});

test.each([
  ["no stream was asked for", held, { stream: false }],
  ["a chat route's endpoint may not stream", held, { surface: "chat.direct" }],
  ["chunks are passed on as they come", { ...held, mayStream: true }, {}],
])("nothing is sent where %s", (_case, compiled, options) => {
  const { awaited, sent } = createWorld(compiled, options);
  vi.advanceTimersByTime(60_000);
  expect([sent(), awaited.end()]).toEqual(["", undefined]);
});

test("an endpoint that holds its streams is waited for like one that must not stream", () => {
  const { awaited } = createWorld({ mayStream: true, endpoint: { streamingEnabled: true, midStream: "hold" } });
  vi.advanceTimersByTime(10_000);
  expect(awaited.end()).toBeDefined();
});
