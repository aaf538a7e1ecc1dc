import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { chatDialect } from "@gatehouse/dialects";
import { GatewayError } from "@gatehouse/errors";
import { recordReplyEnd } from "@gatehouse/http";
import type { CompletionChunk } from "@gatehouse/providers";
import { createSilentTelemetry } from "@gatehouse/telemetry";
import { expect, test } from "vitest";
import type { Admitted, Outcome } from "../app/call.ts";
import type { RunningCall } from "../app/pipeline.ts";
import { openStream, relayStream } from "./reply-stream.ts";

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

test("a reply that the gateway has ended meanwhile gets no stream, and its call ends", async () => {
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  const revoked = new GatewayError("invalid_token", "Invalid or revoked token.");
  recordReplyEnd(res, revoked);
  res.writeHead(401);
  const chunk: CompletionChunk = { id: "c", model: "m", created: 1, choices: [] };
  let isLeft = false;
  async function* endless() {
    try {
      for (;;) yield await Promise.resolve([chunk]);
    } finally {
      isLeft = true;
    }
  }
  const outcomes: Outcome[] = [];
  const running = {
    call: { requestId: "r", request: {}, isStreamed: false },
    finish: (outcome: Outcome) => void outcomes.push(outcome),
  } as unknown as RunningCall;
  const { log } = createSilentTelemetry();
  await relayStream(res, running, { stream: { batches: endless() }, dialect: chatDialect, writer: undefined, log });
  expect([outcomes, isLeft, running.call.isStreamed]).toEqual([[{ kind: "abandoned" }], true, false]);
});
