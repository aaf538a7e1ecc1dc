import assert from "node:assert/strict";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { EventStreamParser, EventTooLarge } from "@gatehouse/upstream-http";
import type { Dispatcher } from "undici";
import { ByteAccount } from "../src/clients/byte-account.ts";
import { CallScope } from "../src/clients/call-scope.ts";
import { exchangeMessage } from "../src/clients/exchange-message.ts";
import { UpstreamFailure } from "../src/domain/upstream-failure.ts";

const encodings = [
  ["", (bytes: Buffer) => bytes],
  ["gzip", (bytes: Buffer) => gzipSync(bytes)],
  ["br", (bytes: Buffer) => brotliCompressSync(bytes)],
  ["deflate", (bytes: Buffer) => deflateSync(bytes)],
  // Bytes that do not match their `Content-Encoding`.
  ["gzip", (bytes: Buffer) => bytes],
  ["br", (bytes: Buffer) => bytes],
  ["deflate, gzip", (bytes: Buffer) => gzipSync(deflateSync(bytes))],
] as const;
const contentTypes = ["application/json", "text/event-stream", "text/plain"];
const sizeBytesMax = 1024 * 1024;
const timeoutMs = 5_000;

/** Plays one reply to a request, in small pieces or whole. */
function replying(head: number, body: Buffer): Dispatcher {
  const [encoding, encode] = encodings[head % encodings.length] ?? encodings[0];
  const contentType = contentTypes[(head >> 3) % contentTypes.length] ?? "";
  const bytes = encode(body);
  const step = head & 0x80 ? bytes.length + 1 : 1 + (head & 0x1f);
  const dispatch = (_options: unknown, handler: Dispatcher.DispatchHandler) => {
    let pieces = 0;
    const reply = { isOver: false };
    const controller = {
      pause() {},
      resume() {},
      abort: () => void (reply.isOver = true),
      aborted: false,
      paused: false,
      reason: null,
    };
    const control = controller as unknown as Dispatcher.DispatchController;
    handler.onRequestStart?.(control, {});
    handler.onResponseStart?.(
      control,
      200,
      { "content-type": contentType, ...(encoding === "" ? {} : { "content-encoding": encoding }) },
      "OK",
    );
    for (; pieces * step < bytes.length && !reply.isOver; pieces += 1) {
      handler.onResponseData?.(control, bytes.subarray(pieces * step, (pieces + 1) * step));
    }
    if (!reply.isOver) handler.onResponseEnd?.(control, {});
    return true;
  };
  return { dispatch } as unknown as Dispatcher;
}

/**
 * The first byte chooses encoding, type and pieces of the reply. Every reply gives an answer or a failure of this exchange, in
 * time.
 */
async function readReply(bytes: Buffer): Promise<void> {
  const [head = 0] = bytes;
  using scope = new CallScope(timeoutMs);
  const request = {
    method: "POST" as const,
    url: new URL("http://upstream.test/mcp"),
    headers: {},
    token: undefined,
    body: "{}",
    idleTimeoutMs: timeoutMs,
    sizeBytesMax,
    account: new ByteAccount(4 * sizeBytesMax),
  };
  const reply = await exchangeMessage(replying(head, bytes.subarray(1)), {
    request,
    id: "1",
    scope,
    onServerRequest: () => {},
  });
  assert.equal(reply.status, 200);
}

/** The first byte chooses where the stream is split; the events equal those of the whole. */
function readStream(bytes: Buffer): void {
  const [size = 0] = bytes;
  const stream = bytes.subarray(1);
  const step = 1 + (size % 64);
  const whole = new EventStreamParser(sizeBytesMax);
  const pieces = new EventStreamParser(sizeBytesMax);
  const events = [...whole.push(stream), whole.end()];
  const piecewise = [];
  for (let at = 0; at < stream.length; at += step) piecewise.push(...pieces.push(stream.subarray(at, at + step)));
  assert.deepEqual(plain([...piecewise, pieces.end()]), plain(events));
}

function plain(events: readonly unknown[]): unknown {
  return JSON.parse(JSON.stringify(events.map((event) => event ?? null)));
}

const result =
  '{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"t","inputSchema":{"type":"object"}}],"nextCursor":"c"}}';
const error = '{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"no","data":{"a":[1]}}}';
const ping = '{"jsonrpc":"2.0","id":"s","method":"ping"}';

export const fuzzTargets = [
  {
    name: "mcp-reply",
    seeds: [0, 1, 2, 3, 4, 8, 9, 0x80, 0x81, 0x8a].flatMap((head) =>
      [result, `[${ping},${error}]`, `event: message\ndata: ${result}\n\n`].map((body) =>
        Buffer.concat([Buffer.of(head), Buffer.from(body)]),
      ),
    ),
    words: ["data: ", "\n\n", '"id":1', '"result":', '"error":', '"method":', "[[[[", "12345678901234567890"],
    run: readReply,
    isDeclared: (err: unknown) => err instanceof UpstreamFailure,
  },
  {
    name: "mcp-event-stream",
    seeds: [
      `\u0003event: message\ndata: ${result}\n\n`,
      "\u0001:c\r\nid: 1\rretry: 5\ndata: b\ndata:c\n\n",
      "\u0002\uFEFFdata: é\r\n\r\n",
    ],
    words: ["data:", "event: ", "\r", "\r\n\r\n", ":", "retry: 1", "id: \0"],
    run: readStream,
    isDeclared: (err: unknown) => err instanceof EventTooLarge,
  },
];
