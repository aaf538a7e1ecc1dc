import { setImmediate as nextTurn } from "node:timers/promises";
import type { Dispatcher } from "undici";
import { expect, test, vi } from "vitest";
import { collectReply, ReplyTooLarge } from "./collect-reply.ts";
import { type ExchangeListener, HttpExchange } from "./http-exchange.ts";

const request = { origin: "http://upstream.test", path: "/", method: "GET", headers: {}, body: null } as const;

/** A dispatcher whose connection and reply the test controls. */
function createWorld() {
  const aborted: Error[] = [];
  let handler: Dispatcher.DispatchHandler | undefined;
  const controller = {
    abort: (err: Error) => aborted.push(err),
    paused: false,
  } as unknown as Dispatcher.DispatchController;
  const dispatcher = {
    dispatch: (_options: unknown, given: Dispatcher.DispatchHandler) => {
      handler = given;
      return true;
    },
  } as unknown as Dispatcher;
  return {
    aborted,
    dispatcher,
    connect: () => handler?.onRequestStart?.(controller, {}),
    head: (status: number) => handler?.onResponseStart?.(controller, status, { "x-name": "a" }),
    bytes: (text: string) => handler?.onResponseData?.(controller, Buffer.from(text)),
    end: () => handler?.onResponseEnd?.(controller, {}),
    break: (err: Error) => handler?.onResponseError?.(controller, err),
  };
}

function record(changes: Partial<ExchangeListener> = {}) {
  const seen: unknown[] = [];
  const listener: ExchangeListener = {
    onHead: (status) => void seen.push(status),
    onBytes: (bytes) => void seen.push(bytes.toString()),
    onEnd: () => void seen.push("end"),
    onFailure: (cause) => void seen.push(cause),
    ...changes,
  };
  return { seen, exchange: new HttpExchange(listener) };
}

test("a reply is its head, its bytes and one end; informational heads are not reported", async () => {
  const world = createWorld();
  const { seen, exchange } = record();
  exchange.start(world.dispatcher, request);
  await nextTurn();
  expect(exchange.wasSent).toBe(false);
  world.connect();
  expect(exchange.wasSent).toBe(true);
  world.head(103);
  world.head(200);
  world.bytes("a");
  world.end();
  world.break(new Error("late"));
  expect(seen).toEqual([200, "a", "end"]);
});

test("a request aborted before its connection is never sent, and nothing is reported", async () => {
  const world = createWorld();
  const { seen, exchange } = record();
  exchange.start(world.dispatcher, request);
  await nextTurn();
  exchange.abandon();
  world.connect();
  expect([exchange.wasSent, world.aborted.length, seen]).toEqual([false, 1, []]);
});

test("a request aborted in the turn of its start never reaches the dispatcher", async () => {
  const dispatch = vi.fn<() => boolean>();
  const { seen, exchange } = record();
  exchange.start({ dispatch }, request);
  exchange.abandon();
  await nextTurn();
  expect(dispatch).not.toHaveBeenCalled();
  expect(seen).toEqual([]);
});

test("a request that the dispatcher cannot send fails like any other", async () => {
  const defect = new TypeError("invalid header");
  const dispatch = () => {
    throw defect;
  };
  const { seen, exchange } = record();
  exchange.start({ dispatch }, request);
  await nextTurn();
  expect([exchange.wasSent, seen]).toEqual([false, [defect]]);
});

test("a listener that refuses the connection ends the exchange before any byte", async () => {
  const world = createWorld();
  const refusal = new Error("too late");
  const refuse = () => {
    throw refusal;
  };
  const { seen, exchange } = record({ onConnected: refuse });
  exchange.start(world.dispatcher, request);
  await nextTurn();
  world.connect();
  expect([exchange.wasSent, world.aborted.length, seen]).toEqual([false, 1, [refusal]]);
});

test("an exception of a listener over received bytes ends its exchange alone", async () => {
  const world = createWorld();
  const defect = new TypeError("unreadable");
  const fail = () => {
    throw defect;
  };
  const { seen, exchange } = record({ onBytes: fail });
  exchange.start(world.dispatcher, request);
  await nextTurn();
  world.connect();
  world.head(200);
  world.bytes("a");
  world.bytes("b");
  world.end();
  expect(seen).toEqual([200, defect]);
  expect(world.aborted).toHaveLength(1);
});

test("a whole reply is collected within its bound", async () => {
  const world = createWorld();
  const { signal } = new AbortController();
  const reply = collectReply(world.dispatcher, request, 3, signal);
  await nextTurn();
  world.connect();
  world.head(200);
  world.bytes("ab");
  world.bytes("c");
  world.end();
  expect(await reply).toEqual({ status: 200, headers: { "x-name": "a" }, body: Buffer.from("abc") });
  const large = collectReply(world.dispatcher, request, 3, signal);
  await nextTurn();
  world.connect();
  world.head(200);
  world.bytes("abcd");
  await expect(large).rejects.toThrow(ReplyTooLarge);
});

test("an abort ends the collecting at once, also before a connection", async () => {
  const world = createWorld();
  const abort = new AbortController();
  const reply = collectReply(world.dispatcher, request, 3, abort.signal);
  abort.abort(new Error("timed out"));
  await expect(reply).rejects.toThrow("timed out");
});
