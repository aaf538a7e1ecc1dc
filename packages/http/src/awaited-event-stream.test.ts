import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { GatewayError } from "@gatehouse/errors";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AwaitedEventStream } from "./awaited-event-stream.ts";
import { EventStreamWriter } from "./event-stream.ts";
import { recordReplyEnd } from "./reply-end.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const keepAlive = { afterMs: 10_000, everyMs: 5_000 };

function createWorld() {
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  const socket = new PassThrough();
  res.assignSocket(socket as unknown as Socket);
  const sent = () => String(socket.read() ?? "");
  const awaited = new AwaitedEventStream(res, keepAlive);
  return { awaited, res, sent, begin: () => awaited.begin(() => new EventStreamWriter(res, { "x-request-id": "r" })) };
}

test("comments keep the connection alive while an answer takes long", async () => {
  const { awaited, sent, begin } = createWorld();
  begin();
  await vi.advanceTimersByTimeAsync(9_999);
  expect(sent()).toBe("");
  await vi.advanceTimersByTimeAsync(1);
  expect(sent()).toMatch(/^HTTP\/1.1 200 OK\r\nx-request-id: r\r\n[^]*text\/event-stream/);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(sent()).toContain(": keep-alive");
  expect(awaited.end()).toBeDefined();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent()).toBe("");
});

test("nothing is sent before an answer or an error that comes in time", () => {
  const { awaited, sent, begin } = createWorld();
  begin();
  vi.advanceTimersByTime(9_999);
  expect(awaited.end()).toBeUndefined();
  vi.advanceTimersByTime(60_000);
  expect(sent()).toBe("");
});

test("nothing is added to a reply that the gateway has ended", () => {
  const { awaited, res, begin } = createWorld();
  begin();
  recordReplyEnd(res, new GatewayError("invalid_token", "Invalid or revoked token."));
  res.writeHead(401).end();
  expect(() => vi.advanceTimersByTime(10_000)).not.toThrow();
  expect(awaited.end()).toBeUndefined();
});
