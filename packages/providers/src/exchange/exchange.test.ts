import { setImmediate as nextTurn } from "node:timers/promises";
import { countTurns } from "@gatehouse/pace/testing";
import type { Dispatcher } from "undici";
import { describe, expect, it } from "vitest";
import { Exchange } from "./exchange.ts";

const bounds = { connectMs: 20, headersMs: 1_000, firstTokenMs: 1_000, idleMs: 1_000, totalMs: 1_000 };

/** Accepts calls and keeps them waiting for a connection. */
class BusyDispatcher {
  handler: Dispatcher.DispatchHandler | undefined;
  dispatch(_options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.handler = handler;
    return true;
  }
}

function openExchange(dispatcher: Pick<Dispatcher, "dispatch">): Exchange {
  return new Exchange({
    dispatcher,
    provider: "acme",
    origin: "http://localhost",
    path: "/",
    headers: {},
    body: "{}",
    streaming: false,
    attempt: { bounds, signal: new AbortController().signal, traceparent: undefined },
  });
}

describe("Exchange", () => {
  it("times out without a connection, and refuses one that comes later", async () => {
    const dispatcher = new BusyDispatcher();
    const exchange = openExchange(dispatcher);
    await expect(exchange.head()).rejects.toMatchObject({
      failure: "timeout",
      message: "acme did not accept a connection within 20 ms",
    });
    let reason: Error | undefined;
    const abort = (err: Error) => {
      reason = err;
    };
    dispatcher.handler?.onRequestStart?.(
      { abort, aborted: false, paused: false, reason: null, pause() {}, resume() {} },
      undefined,
    );
    expect(reason).toBe(exchange.failure);
  });

  it("fails when the call cannot be dispatched", async () => {
    const exchange = openExchange({
      dispatch() {
        throw new TypeError("bad header");
      },
    });
    await expect(exchange.head()).rejects.toMatchObject({ failure: "unreachable" });
  });

  it("leaves no timer behind once it has failed", async () => {
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
    const before = timers();
    const exchange = openExchange(new BusyDispatcher());
    expect(timers()).toBeGreaterThan(before);
    exchange.cancel();
    await nextTurn();
    expect(timers()).toBe(before);
  });

  it("returns the head of a whole reply once its last byte has arrived", async () => {
    const exchange = openExchange(new BusyDispatcher());
    const waits: string[] = [];
    const head = exchange.headOfWhole(10).then(({ status }) => waits.push(`head ${status}`));
    exchange.onHead(200, {});
    exchange.onBytes(Buffer.from("01234"));
    await nextTurn();
    waits.push("last bytes");
    exchange.onBytes(Buffer.from("56789"));
    exchange.onEnd();
    await head;
    expect(waits).toEqual(["last bytes", "head 200"]);
    expect(exchange.takeWhole().toString()).toBe("0123456789");
  });

  it("refuses a whole reply that is longer than its bound, at the first byte too many", async () => {
    const exchange = openExchange(new BusyDispatcher());
    const head = exchange.headOfWhole(10);
    exchange.onHead(200, {});
    exchange.onBytes(Buffer.from("0123456789"));
    exchange.onBytes(Buffer.from("x"));
    await expect(head).rejects.toMatchObject({
      failure: "malformed",
      message: "acme sent a reply of more than 10 bytes",
    });
  });

  it("returns the head of an error reply at once, and leaves its body to its reader's bound", async () => {
    const exchange = openExchange(new BusyDispatcher());
    const head = exchange.headOfWhole(10);
    exchange.onHead(503, { "retry-after": "1" });
    exchange.onBytes(Buffer.from("an explanation of some length"));
    expect(await head).toEqual({ status: 503, headers: { "retry-after": "1" } });
    exchange.onEnd();
    expect((await exchange.readAll(64)).toString()).toBe("an explanation of some length");
  });

  it("reports a connection that breaks before and after the head of a whole reply", async () => {
    const early = openExchange(new BusyDispatcher());
    const none = early.headOfWhole(10);
    early.onFailure(new Error("reset"));
    await expect(none).rejects.toMatchObject({ failure: "unreachable" });
    const late = openExchange(new BusyDispatcher());
    const half = late.headOfWhole(10);
    late.onHead(200, {});
    late.onBytes(Buffer.from("half"));
    late.onFailure(new Error("reset"));
    await expect(half).rejects.toBe(late.failure);
  });

  it("lets the event loop run while a socket delivers many pieces in one turn", async () => {
    const exchange = openExchange(new BusyDispatcher());
    exchange.onHead(200, {});
    const counted = countTurns();
    const pieces = 64;
    const reader = (async () => {
      for (let read = 0; read < pieces; read += 1) await exchange.read();
    })();
    // Like a socket: all pieces arrive in one turn of the loop, each after the reader waits again.
    for (let piece = 0; piece < pieces; piece += 1) {
      exchange.onBytes(Buffer.alloc(60 * 1_024));
      for (let step = 0; step < 20; step += 1) await Promise.resolve();
    }
    expect(counted.turns).toBe(0);
    await reader;
    counted.stop();
    exchange.cancel();
    expect(counted.turns).toBeGreaterThanOrEqual(pieces / 4);
  });
});
