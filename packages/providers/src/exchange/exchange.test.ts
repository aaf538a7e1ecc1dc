import { setImmediate as nextTurn } from "node:timers/promises";
import { countTurns } from "@gatehouse/pace/testing";
import type { Dispatcher } from "undici";
import { describe, expect, it } from "vitest";
import { Exchange } from "./exchange.ts";

const bounds = { connectMs: 20, headersMs: 1_000, firstTokenMs: 1_000, idleMs: 1_000, totalMs: 1_000 };

/** Takes calls and keeps them waiting for a connection. */
class BusyDispatcher {
  handler: Dispatcher.DispatchHandler | undefined;
  dispatch(_options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.handler = handler;
    return true;
  }
}

function openExchange(dispatcher: Pick<Dispatcher, "dispatch">): Exchange {
  return new Exchange({
    dispatcher: dispatcher as Dispatcher,
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
  it("times out when no connection comes, and takes none that comes later", async () => {
    const dispatcher = new BusyDispatcher();
    const exchange = openExchange(dispatcher);
    await expect(exchange.head()).rejects.toMatchObject({
      failure: "timeout",
      message: "acme was not connected within 20 ms",
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

  it("fails when the call cannot even be made", async () => {
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

  it("gives the loop its turns while a socket hands over much in one turn", async () => {
    const exchange = openExchange(new BusyDispatcher());
    exchange.onHead(200, {});
    const counted = countTurns();
    const pieces = 64;
    const reader = (async () => {
      for (let read = 0; read < pieces; read += 1) await exchange.read();
    })();
    // As a socket does: each piece when the reader of the one before has gone back to waiting, all before the loop turns.
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
