import { once } from "node:events";
import type { RequestListener, ServerResponse } from "node:http";
import { afterEach, describe, expect, test } from "vitest";
import { endEventStream, EventStreamWriter, type HttpServer, startHttpServer } from "../src/index.ts";
import { connectRaw, isWholeChunked } from "../src/testing.ts";

let server: HttpServer | undefined;

afterEach(async () => await server?.stop(0));

const requests = {
  "Node writes": "GET / HTTP/1.1\r\nhost: a\r\n\r\n",
  "Node does not write": "POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\n\r\n1",
};

/** Serves an event stream, and resolves with its writer and the client's reply. */
async function openFor(request: string) {
  let opened: (parts: { res: ServerResponse; writer: EventStreamWriter }) => void;
  const opening = new Promise<{ res: ServerResponse; writer: EventStreamWriter }>((resolve) => (opened = resolve));
  const listener: RequestListener = (_req, res) => {
    res.setHeader("x-early", "c");
    opened({ res, writer: new EventStreamWriter(res, { "x-a": "b" }) });
  };
  server = await startHttpServer(listener, { host: "127.0.0.1", port: 0, takesPlain: () => true });
  const client = await connectRaw(server.port);
  client.write(request);
  return { client, ...(await opening) };
}

/** Counts the writes that reach a reply's connection from now on. */
function countWrites({ req: { socket } }: ServerResponse): { count: number } {
  const counter = { count: 0 };
  const write = socket.write.bind(socket);
  socket.write = ((chunk: string, encoding: BufferEncoding) => {
    counter.count++;
    return write(chunk, encoding);
  }) as typeof socket.write;
  return counter;
}

const tick = () => new Promise((resolve) => setImmediate(resolve));

describe.each(Object.entries(requests))("an event stream that %s", (_, request) => {
  const open = () => openFor(request);

  test("the head is sent before any event", async () => {
    const { client } = await open();
    const head = await client.until(/\r\n\r\n/);
    expect(head).toMatch(/^HTTP\/1\.1 200 /);
    expect(head).toMatch(/content-type: text\/event-stream; charset=utf-8/i);
    expect(head).toMatch(/cache-control: no-cache, no-transform/i);
    expect(head).toMatch(/x-a: b/i);
  });

  test("events of one tick go out in one write, those of the next in another", async () => {
    const { client, res, writer } = await open();
    const writes = countWrites(res);
    for (const data of ["1", "2", "3"]) writer.send(data);
    await tick();
    expect(writes.count).toBe(1);
    writer.send("4");
    await tick();
    expect(writes.count).toBe(2);
    expect(await client.until(/data: 4/)).toContain("data: 1\n\ndata: 2\n\ndata: 3\n\n");
  });

  test("waiting events are sent before the end, and the stream ends complete", async () => {
    const { client, writer } = await open();
    writer.send("last");
    writer.end();
    const text = await client.until(/0\r\n\r\n$/);
    expect(text).toContain("data: last\n\n");
    expect(isWholeChunked(text)).toBe(true);
  });

  test("nothing is sent after the end, not even an error of the same turn", async () => {
    const { client, res, writer } = await open();
    writer.send("last");
    writer.end();
    writer.send("late");
    expect(endEventStream(res, "error")).toBe(false);
    writer.end();
    expect(await client.until(/0\r\n\r\n$/)).toMatch(/data: last\n\n\r\n0\r\n\r\n$/);
  });

  test("a stream whose reader leaves in the turn of its end is destroyed without being ended", async () => {
    const { res, writer } = await open();
    writer.send("last");
    writer.end();
    res.destroy();
    await tick();
    expect([res.destroyed, res.writableEnded]).toEqual([true, false]);
  });

  test("line breaks in the data cannot end an event or begin another", async () => {
    const { client, writer } = await open();
    writer.send("a\n\nevent: x\rdata: b\r\nc");
    writer.end();
    expect(await client.until(/0\r\n\r\n$/)).toContain("data: a\ndata: \ndata: event: x\ndata: data: b\ndata: c\n\n");
  });

  test("a producer waits for a slow reader, and continues when it has caught up", async () => {
    const { client, res, writer } = await open();
    client.socket.pause();
    const event = "x".repeat(10_000);
    let sent = 0;
    let waiting: Promise<void> = writer.drained();
    for (let isWaiting = false; !isWaiting && sent < 10_000; sent++) {
      writer.send(event);
      waiting = writer.drained();
      isWaiting = await Promise.race([
        waiting.then(() => false),
        tick()
          .then(tick)
          .then(() => true),
      ]);
    }
    expect(sent).toBeLessThan(10_000);
    expect(res.writableLength).toBeLessThan(1_000_000);
    client.socket.resume();
    await waiting;
    expect(res.writableLength).toBeLessThan(256 * 1024);
  });

  test("a producer that never yields to the event loop is held back too", async () => {
    const { client, res, writer } = await open();
    client.socket.pause();
    const producing = (async () => {
      for (let sent = 0; sent < 4_000; sent++) {
        writer.send("x".repeat(10_000));
        await writer.drained();
      }
    })();
    for (let round = 0; round < 20; round++) {
      await tick();
      expect(res.writableLength).toBeLessThan(1_000_000);
    }
    client.socket.destroy();
    await producing;
  });

  test("waiting leaves no listeners behind on the reply and its connection", async () => {
    const { client, res, writer } = await open();
    const countListeners = () => [
      res.listenerCount("close"),
      res.listenerCount("drain"),
      res.req.socket.listenerCount("drain"),
    ];
    const before = countListeners();
    for (let round = 0; round < 30; round++) {
      client.socket.pause();
      while (!writer.isBehind) {
        writer.send("x".repeat(100_000));
        await tick();
      }
      const drained = writer.drained();
      client.socket.resume();
      await drained;
    }
    expect(countListeners()).toEqual(before);
  });

  test("a client that leaves ends the waiting, and later events are dropped", async () => {
    const { client, res, writer } = await open();
    client.socket.pause();
    while (!writer.isBehind) {
      writer.send("x".repeat(100_000));
      await tick();
    }
    const drained = writer.drained();
    client.socket.destroy();
    await drained;
    await (res.closed ? undefined : once(res, "close"));
    writer.send("late");
    await writer.drained();
    writer.end();
    await tick();
  });

  test("texts of any script are framed by their bytes, in one chunk of the body for a tick", async () => {
    const { client, writer } = await open();
    writer.send("für 日本 🧪");
    await tick();
    writer.sendRun("data: 2\n\ndata: 3\n\n");
    writer.end();
    const text = Buffer.from(await client.until(/0\r\n\r\n$/), "latin1").toString();
    const chunks = ["data: für 日本 🧪\n\n", "data: 2\n\ndata: 3\n\n"];
    const framed = chunks.map((chunk) => `${Buffer.byteLength(chunk).toString(16)}\r\n${chunk}\r\n`).join("");
    expect(text.slice(text.indexOf("\r\n\r\n") + 4)).toBe(`${framed}0\r\n\r\n`);
  });

  test("a stream that cannot continue ends complete after waiting events, with the reason as its last event", async () => {
    const { client, res, writer } = await open();
    writer.send("1");
    expect(endEventStream(res, "reason")).toBe(true);
    expect(endEventStream(res, "reason")).toBe(false);
    const text = await client.until(/0\r\n\r\n$/);
    expect(text).toContain("data: 1\n\ndata: reason\n\n");
    expect(isWholeChunked(text)).toBe(true);
  });

  test("is known as one, with its unsent length, before it is written", async () => {
    const { client, res, writer } = await open();
    expect([res.headersSent, res.getHeader("content-type")]).toEqual([true, "text/event-stream; charset=utf-8"]);
    client.socket.pause();
    for (let sent = 0; sent < 400; sent += 1) writer.send("x".repeat(100_000));
    await tick();
    expect(res.writableLength).toBeGreaterThan(10_000_000);
    client.socket.destroy();
  });

  test("is followed by the reply to the next request of its connection", async () => {
    const { client, res, writer } = await open();
    const closed = once(res, "close");
    writer.end();
    await closed;
    expect([res.writableEnded, res.writableFinished]).toEqual([true, true]);
    client.write(request);
    expect(await client.until(/0\r\n\r\nHTTP[^]*\r\n\r\n/)).toMatch(/^HTTP[^]*HTTP\/1\.1 200 /);
  });
});

test("a head that Node does not write is Node's", async () => {
  const heads: string[] = [];
  for (const request of Object.values(requests)) {
    const { client } = await openFor(request);
    heads.push((await client.until(/\r\n\r\n/)).replace(/^date: .*$/im, "date"));
    await server?.stop(0);
  }
  expect(heads[1]?.toLowerCase()).toBe(heads[0]?.toLowerCase());
});

test("nothing but its writer may write to a reply that Node does not write", async () => {
  const { res } = await openFor(requests["Node does not write"]);
  for (const write of [() => res.write("x"), () => res.end(), () => res.writeHead(500)]) expect(write).toThrow();
  res.destroy();
});

test("an HTTP/1.0 client gets the events unframed, up to the end of its connection", async () => {
  const listener: RequestListener = (_req, res) => {
    const writer = new EventStreamWriter(res);
    writer.send("1");
    setImmediate(() => writer.end());
  };
  server = await startHttpServer(listener, { host: "127.0.0.1", port: 0 });
  const client = await connectRaw(server.port);
  client.write("GET / HTTP/1.0\r\nhost: a\r\n\r\n");
  expect(await client.until(/data: 1\n\n$/)).toMatch(
    /^HTTP\/1\.1 200 OK\r\n(?![^]*transfer-encoding)[^]*\r\n\r\ndata: 1\n\n$/i,
  );
});
