import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Admitted } from "../app/call.ts";
import { openStream } from "./reply-stream.ts";

test("the head of a stream has the call's id, and makes its status 200", async () => {
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  const socket = new PassThrough();
  res.assignSocket(socket as unknown as Socket);
  const call = { requestId: "r", isStreamed: false } as unknown as Admitted;
  openStream(res, call).comment("keep-alive");
  await setImmediate();
  expect(String(socket.read())).toMatch(/^HTTP\/1.1 200 OK\r\nx-request-id: r\r\n[^]*text\/event-stream/);
  expect(call.isStreamed).toBe(true);
});
