import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { carrierBounds } from "../src/carrier/bounds.ts";
import { frameKinds, replyFlags } from "../src/carrier/frames.ts";
import { openCarrier, startReadyPair, stopPairs } from "./carried-pair.ts";

afterEach(stopPairs);

const call = { kind: frameKinds.call, head: '["POST","/",{}]' };
const gone = () => Object.assign(new Error("gone"), { code: "PEER_ABANDONED" });

describe("a caller", () => {
  test("that takes its process for gone ends the calls on a connection that takes no more", async () => {
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
  test("that is destroyed behind its end, before its caller has taken it, is broken off", async () => {
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
    // Its place is free.
    send({ ...call, id: 1 });
    await expect.poll(() => replies.length).toBe(2);
    socket.destroy();
  });

  test("that is written while another one ends is sent", async () => {
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
});
