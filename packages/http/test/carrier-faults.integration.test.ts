import type { ServerResponse } from "node:http";
import { lapse } from "@gatehouse/async/testing";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { carrierBounds } from "../src/carrier/bounds.ts";
import { encodeFrames, frameKinds, replyFlags } from "../src/carrier/frames.ts";
import { carriedCallLost } from "../src/index.ts";
import { openCarrier, startReadyPair, stopPairs } from "./carried-pair.ts";

afterEach(stopPairs);

const call = { kind: frameKinds.call, head: '["POST","/",{}]' };
const gone = () => Object.assign(new Error("gone"), { code: "PEER_ABANDONED" });

describe("a caller", () => {
  test("ends the calls of an abandoned process on a connection that gets no new ones", async () => {
    const held: ServerResponse[] = [];
    const { ask, stopBack, dispatcher, failures, isReady } = await startReadyPair((_req, res) => held.push(res));
    const late = ask("/held");
    await expect.poll(() => held.length).toBe(1);
    const stopped = stopBack(60_000);
    await expect.poll(async () => await isReady().catch(String)).not.toBe("true");
    dispatcher.abandon(gone());
    expect((await late).status).toBe(503);
    expect(failures).toContain("PEER_ABANDONED");
    await stopped;
  });
});

describe("a reply", () => {
  test("is broken off if it is destroyed after its end, before its caller has read it", async () => {
    const replies: ServerResponse[] = [];
    const { back } = await startReadyPair((_req, res) => {
      replies.push(res.end(Buffer.alloc(2 * carrierBounds.windowBytes)));
    });
    const { send, read, socket } = await openCarrier(back.port);
    send({ ...call, id: 1 });
    const bytes = () => read.reduce((sum, { body }) => sum + body.length, 0);
    await expect.poll(bytes).toBe(carrierBounds.windowBytes);
    replies[0]?.destroy();
    await expect.poll(() => read.at(-1)?.flags).toBe(replyFlags.broken);
    // The place of the first call is free.
    send({ ...call, id: 1 });
    await expect.poll(() => replies.length).toBe(2);
    socket.destroy();
  });

  test("is sent if it is written while another one ends", async () => {
    let waiting: ServerResponse | undefined;
    const { back } = await startReadyPair((req, res) => {
      if (req.url === "/waiting") return void (waiting = res);
      res.once("close", () => waiting?.end("let in"));
      return void res.end("ended");
    });
    const { send, read, socket } = await openCarrier(back.port);
    send({ ...call, id: 1, head: '["POST","/waiting",{}]' });
    await expect.poll(() => waiting).toBeDefined();
    send({ ...call, id: 2 });
    await expect.poll(() => read.map(({ body }) => body.toString()), { timeout: 2_000 }).toEqual(["ended", "let in"]);
    socket.destroy();
  });

  test("with a head larger than a frame is broken off, and no other is", async () => {
    const { ask, failures, isReady } = await startReadyPair((_req, res) => {
      res.setHeader("x-long", "x".repeat(carrierBounds.frameBytesMax)).end("{}");
    });
    expect((await ask("/long")).status).toBe(503);
    expect(failures).toEqual([carriedCallLost]);
    expect(await isReady()).toBe("true");
  });
});

describe("a server cuts off a connection", () => {
  const { frameMs, forgottenMs, drainedMs, lookIntervalMs } = carrierBounds;
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] }));
  afterEach(() => void vi.useRealTimers());

  test("that stops in the middle of a frame, with other calls on it", async () => {
    const { back } = await startReadyPair((req, res) => (req.url === "/held" ? undefined : res.end("whole")));
    const { write, closed, read, socket } = await openCarrier(back.port);
    const held = { ...call, id: 1, head: '["POST","/held",{}]' };
    const begun = { ...call, id: 3, body: Buffer.alloc(1_000) };
    write(encodeFrames([held, { ...call, id: 2 }, begun]).subarray(0, -500));
    await expect.poll(() => read.length).toBe(1);
    vi.advanceTimersByTime(frameMs - lookIntervalMs);
    await lapse(50, "the connection would end now");
    expect(socket.closed).toBe(false);
    vi.advanceTimersByTime(2 * lookIntervalMs);
    await closed();
  });

  test("that stays open after it asks for no further calls, so that a stop does not wait for it", async () => {
    const { back, stopBack } = await startReadyPair((_req, res) => res.end("whole"));
    const { closed, send, read } = await openCarrier(back.port);
    send({ ...call, id: 1 });
    await expect.poll(() => read.length).toBe(1);
    const stopped = stopBack(60_000);
    await expect.poll(() => read.at(-1)?.kind).toBe(frameKinds.drain);
    vi.advanceTimersByTime(drainedMs + 2 * lookIntervalMs);
    await closed();
    await stopped;
  });

  test("without calls, but not right after a call has ended", async () => {
    const held: ServerResponse[] = [];
    const { back } = await startReadyPair((_req, res) => held.push(res));
    const [idle, busy] = [await openCarrier(back.port), await openCarrier(back.port)];
    busy.send({ ...call, id: 1 });
    await expect.poll(() => held.length).toBe(1);
    vi.advanceTimersByTime(forgottenMs + 2 * lookIntervalMs);
    await idle.closed();
    held[0]?.end("whole");
    await expect.poll(() => busy.read.length).toBe(1);
    vi.advanceTimersByTime(2 * lookIntervalMs);
    busy.send({ ...call, id: 2 });
    await expect.poll(() => held.length).toBe(2);
    busy.socket.destroy();
  });
});
