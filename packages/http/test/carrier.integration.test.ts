import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { lapse } from "@gatehouse/async/testing";
import { GatewayError } from "@gatehouse/errors";
import { afterEach, describe, expect, test } from "vitest";
import { carrierBounds, carrierProtocol } from "../src/carrier/bounds.ts";
import {
  carriedCallLost,
  defaultHttpServerBounds,
  readBody,
  recordReplyEnd,
  replyEndOf,
  sendError,
} from "../src/index.ts";
import { connectRaw } from "../src/testing.ts";
import { type Answer, startPair, startReadyPair, stopPairs } from "./carried-pair.ts";

afterEach(stopPairs);

const echo: Answer = async (req, res) => {
  const body = await readBody(req, { sizeBytesMax: 1e7, timeoutMs: 1_000 });
  res.writeHead(201, { "content-type": "text/plain", "set-cookie": ["a=1", "b=2"], "x-len": body.length });
  res.end(body);
};

describe("a call", () => {
  test("arrives whole, and so does its reply", async () => {
    const { ask, seen } = await startReadyPair(echo);
    const { status, headers, text } = await ask("/x", "größer");
    expect([status, text, headers["set-cookie"], headers["x-len"]]).toEqual([201, "größer", ["a=1", "b=2"], "8"]);
    expect(seen).toEqual([true]);
  });

  test("can be read as a stream, and without a body", async () => {
    const { ask } = await startReadyPair(async (req, res) => {
      const chunks: Buffer[] = [];
      for await (const chunk of req) chunks.push(chunk as Buffer);
      res.end(`${Buffer.concat(chunks).length}`);
    });
    expect((await ask("/x", "abc")).text).toBe("3");
    expect((await ask("/x", "")).text).toBe("0");
  });

  test("has a separate connection if its body is large or incomplete", async () => {
    const { ask, seen } = await startReadyPair(echo);
    const large = "x".repeat(carrierBounds.requestBytesMax + 1);
    expect((await ask("/x", large)).text).toBe(large);
    expect((await ask("/piped", "y")).text).toBe("y");
    expect((await ask("/x", large.slice(1))).text).toHaveLength(carrierBounds.requestBytesMax);
    expect(seen).toEqual([false, false, true]);
  });

  test("has a separate connection if its head is large", async () => {
    const options = { bounds: { ...defaultHttpServerBounds, headerBytesMax: 256 * 1024 } };
    const { ask, seen } = await startReadyPair((req, res) => res.end(String(req.url?.length)), options);
    const path = `/${"x".repeat(carrierBounds.headLengthMax)}`;
    expect((await ask(path)).text).toBe(String(path.length));
    expect(seen).toEqual([false]);
  });

  test("shares the connection with others, whose replies come as they are ready", async () => {
    const held: ServerResponse[] = [];
    const { ask } = await startReadyPair((req, res) => (req.url === "/held" ? held.push(res) : res.end("quick")));
    const slow = ask("/held");
    await expect.poll(() => held.length).toBe(1);
    expect((await ask("/quick")).text).toBe("quick");
    held[0]?.end("slow");
    expect((await slow).text).toBe("slow");
  });

  test("is aborted alone when its client leaves", async () => {
    const held: ServerResponse[] = [];
    const { ask, front } = await startReadyPair((_req, res) => held.push(res));
    const other = ask("/other");
    await expect.poll(() => held.length).toBe(1);
    const client = await connectRaw(front.port);
    client.write("POST /left HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}");
    await expect.poll(() => held.length).toBe(2);
    client.socket.destroy();
    await expect.poll(() => held[1]?.destroyed).toBe(true);
    held[0]?.end("whole");
    expect((await other).text).toBe("whole");
  });

  test.each([
    ["shared", "/revoked"],
    ["separate", "/piped"],
  ])("on a %s connection tells its process with which error the gateway has ended it", async (_name, path) => {
    const held: ServerResponse[] = [];
    const { ask, fronts } = await startReadyPair((_req, res) => held.push(res));
    const answer = ask(path);
    await expect.poll(() => held.length).toBe(1);
    const refusal = new GatewayError("invalid_token", "Invalid or revoked token.");
    for (const res of fronts.filter((res) => !res.headersSent)) {
      recordReplyEnd(res, refusal);
      sendError(res, refusal);
    }
    expect((await answer).status).toBe(401);
    await expect.poll(() => held[0]?.destroyed).toBe(true);
    expect(held.map((res) => replyEndOf(res))).toMatchObject([{ code: "invalid_token", message: refusal.message }]);
  });

  test("is ended as unavailable where its process stops before the answer", async () => {
    const held: ServerResponse[] = [];
    const { ask, stopBack } = await startReadyPair((_req, res) => held.push(res));
    const answers = [ask("/carried"), ask("/piped")];
    await expect.poll(() => held.length).toBe(2);
    await stopBack(50);
    for (const answer of answers) expect((await answer).status).toBe(503);
    expect(held.map((res) => replyEndOf(res).code)).toEqual(["unavailable", "unavailable"]);
  });

  test("is aborted after its time-out", async () => {
    const held: ServerResponse[] = [];
    const { ask, failures } = await startReadyPair((_req, res) => held.push(res), {}, 100);
    expect((await ask("/late")).status).toBe(503);
    expect(failures).toEqual(["UND_ERR_HEADERS_TIMEOUT"]);
    await expect.poll(() => held[0]?.destroyed).toBe(true);
  });

  test("fails when its handler destroys the reply", async () => {
    const { ask, failures, isReady } = await startReadyPair((_req, res) => res.destroy());
    expect((await ask("/lost")).status).toBe(503);
    expect(failures).toEqual([carriedCallLost]);
    expect(await isReady()).toBe("true");
  });
});

describe("a reply", () => {
  test("is passed on as it is written", async () => {
    let release = () => {};
    const { front } = await startReadyPair((_req, res) => {
      res.writeHead(200, { "content-type": "text/event-stream" });
      res.write("data: 1\n\n");
      release = () => void res.end("data: 2\n\n");
    });
    const client = await connectRaw(front.port);
    client.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}");
    expect(await client.until(/data: 1\n\n/)).not.toMatch(/data: 2/);
    release();
    await client.until(/data: 2\n\n/);
    client.socket.destroy();
  });

  test("waits for a client that does not read, and no other does", async () => {
    const bytes = 64 * 1024 * 1024;
    let written = 0;
    const { ask, front } = await startReadyPair((req, res) => {
      if (req.url === "/quick") return void res.end("quick");
      const piece = Buffer.alloc(32 * 1024, "z");
      const write = () => {
        while (written < bytes) {
          written += piece.length;
          if (res.write(piece)) continue;
          res.once("drain", write);
          return;
        }
        res.end();
      };
      res.writeHead(200, { "content-length": bytes });
      write();
      return undefined;
    });
    const client = connect(front.port, "127.0.0.1");
    client.write("POST /large HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}");
    client.pause();
    for (let before = -1; before !== written;) {
      before = written;
      await lapse(500, "a reply that nothing holds up goes on meanwhile");
    }
    expect(written).toBeLessThan(bytes);
    expect((await ask("/quick")).text).toBe("quick");
    let read = 0;
    client.on("data", (chunk: Buffer) => (read += chunk.length));
    client.resume();
    await expect.poll(() => read, { timeout: 20_000 }).toBeGreaterThan(bytes);
    client.destroy();
  });

  test("comes whole if it is larger than a frame", async () => {
    const text = "é".repeat(1024 * 1024);
    const { ask } = await startReadyPair((_req, res) => res.writeHead(200).end(text));
    expect((await ask("/large")).text).toBe(text);
  });

  test("is cut if it breaks off, and a stream of events ends with an event about it", async () => {
    let begun: ServerResponse | undefined;
    const { front } = await startReadyPair((req, res) => {
      if (req.url === "/events") res.writeHead(200, { "content-type": "text/event-stream" });
      else res.writeHead(200, { "content-length": 100 });
      begun = res;
      res.write("data: 1\n\n");
    });
    const breakOff = async (path: string) => {
      const client = await connectRaw(front.port);
      client.write(`POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\n{}`);
      await client.until(/data: 1\n\n/);
      begun?.destroy();
      return client;
    };
    const events = await breakOff("/events");
    await events.until(/data: 1\n\n\r\n[\da-f]+\r\ndata: broken\n\n\r\n0\r\n\r\n$/);
    events.socket.destroy();
    const cut = await breakOff("/cut");
    expect((await cut.closed()).text).toMatch(/data: 1\n\n$/);
  });

  test("may be in any encoding", async () => {
    const { ask } = await startReadyPair((_req, res) => {
      res.write("é", "latin1");
      res.write(Buffer.from("é").toString("hex"), "hex");
      res.end("ü");
    });
    const { text } = await ask("/x");
    expect(Buffer.from(text)).toEqual(Buffer.from("\u{fffd}éü"));
  });
});

describe("a server", () => {
  test("answers the calls it has while it stops, and accepts no more", async () => {
    const held: ServerResponse[] = [];
    const { ask, stopBack } = await startReadyPair((_req, res) => held.push(res));
    const call = ask("/held");
    await expect.poll(() => held.length).toBe(1);
    const stopped = stopBack(60_000);
    const beganMs = performance.now();
    await lapse(100, "the caller is asked to carry nothing more");
    held[0]?.end("whole");
    expect((await call).text).toBe("whole");
    await stopped;
    // Only the server's drain frame ends the connection so early.
    expect(performance.now() - beganMs).toBeLessThan(carrierBounds.idleMs / 2);
    expect((await ask("/next")).status).toBe(503);
  });

  test("whose drain is over ends the remaining calls", async () => {
    const { ask, stopBack, failures, seen } = await startReadyPair(() => {});
    const call = ask("/held");
    await expect.poll(() => seen.length).toBe(1);
    await stopBack(100);
    expect((await call).status).toBe(503);
    expect(failures).toEqual([carriedCallLost]);
  });

  test("gets calls one by one if it does not carry calls", async () => {
    const { ask, seen, isReady } = await startPair(echo, { upgrades: false });
    for (let call = 0; call < 5; call += 1) expect((await ask("/x", "one")).text).toBe("one");
    expect(await isReady()).toBe("false");
    expect(seen).toEqual([false, false, false, false, false]);
  });

  test("gets calls one by one if it does not admit the caller", async () => {
    const { ask, isReady } = await startPair(echo, { carrying: { admits: () => false } });
    for (let call = 0; call < 5; call += 1) expect((await ask("/x", "one")).text).toBe("one");
    expect(await isReady()).toBe("false");
  });

  test("ends a connection with invalid frames, and the calls on it", async () => {
    const held: ServerResponse[] = [];
    const { back } = await startReadyPair((_req, res) => held.push(res));
    const client = await connectRaw(back.port);
    client.write(`GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: ${carrierProtocol}\r\n\r\n`);
    await client.until(/ 101 /);
    const head = '["POST","/",{}]';
    const frame = Buffer.alloc(14 + head.length);
    frame.writeUInt32BE(10 + head.length);
    frame[4] = 1;
    frame.writeUInt32BE(head.length, 10);
    frame.write(head, 14);
    client.write(frame);
    await expect.poll(() => held.length).toBe(1);
    client.write("\xff\xff\xff\xff");
    await client.closed();
    await expect.poll(() => held[0]?.destroyed).toBe(true);
  });
});

test("a connection that is lost ends its calls, and later ones open another", async () => {
  const held: ServerResponse[] = [];
  const { ask, dispatcher, failures, isReady } = await startReadyPair((_req, res) => held.push(res));
  const call = ask("/held");
  await expect.poll(() => held.length).toBe(1);
  dispatcher.abandon(Object.assign(new Error("gone"), { code: "PEER_ABANDONED" }));
  expect((await call).status).toBe(503);
  expect(failures).toEqual(["PEER_ABANDONED"]);
  await expect.poll(() => held[0]?.destroyed).toBe(true);
  expect(await isReady()).toBe("false");
  await expect.poll(isReady, { timeout: 3 * carrierBounds.openIntervalMs }).toBe("true");
});

test("a caller that closes its connections lets calls in flight finish", async () => {
  const held: ServerResponse[] = [];
  const { ask, dispatcher } = await startReadyPair((_req, res) => held.push(res));
  const call = ask("/held");
  await expect.poll(() => held.length).toBe(1);
  const [reply] = held;
  const closed = once(reply ?? fail(), "close");
  dispatcher.close();
  reply?.end("whole");
  expect((await call).text).toBe("whole");
  await closed;
});

function fail(): never {
  throw new Error("There is no call.");
}
