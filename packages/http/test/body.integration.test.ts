import type { IncomingMessage, ServerResponse } from "node:http";
import { type GatewayError, toGatewayError } from "@gatehouse/errors";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type HttpServer, parseJsonBody, readBody, sendError, sendJson, startHttpServer } from "../src/index.ts";
import { connectRaw } from "../src/testing.ts";

const bounds = { sizeBytesMax: 1_000, timeoutMs: 100 };

let server: HttpServer;
/** Errors of reading a body, by path. */
const failures = new Map<string, (err: GatewayError) => void>();

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const body = await readBody(req, bounds);
  const parsed = parseJsonBody(body);
  const { value } = parsed instanceof Promise ? await parsed : parsed;
  sendJson(res, { status: 200, body: { size: body.length, parsed: value } });
}

beforeAll(async () => {
  server = await startHttpServer(
    (req, res) => {
      answer(req, res).catch((cause: unknown) => {
        const err = toGatewayError(cause);
        failures.get(req.url ?? "")?.(err);
        sendError(res, err);
      });
    },
    { host: "127.0.0.1", port: 0 },
  );
});

afterAll(async () => await server.stop(0));

async function post(body: string | Uint8Array): Promise<{ status: number; body: unknown }> {
  const reply = await fetch(`http://127.0.0.1:${server.port}/`, { method: "POST", body });
  return { status: reply.status, body: await reply.json() };
}

const failureAt = (path: string) => new Promise<GatewayError>((resolve) => failures.set(path, resolve));

test("a body of exactly the limit is read, one byte more is refused with 413", async () => {
  const exact = `"${"x".repeat(998)}"`;
  expect(await post(exact)).toMatchObject({ status: 200, body: { size: 1_000 } });
  expect(await post(`${exact} `)).toMatchObject({
    status: 413,
    body: { ok: false, error: "Request body is larger than 1000 bytes." },
  });
});

test("a body of unannounced length is refused when it passes the limit", async () => {
  const client = await connectRaw(server.port);
  client.write("POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n");
  client.write(`1f4\r\n${"x".repeat(500)}\r\n`);
  client.write(`1f5\r\n${"x".repeat(501)}\r\n`);
  expect(await client.until(/\}$/)).toMatch(/^HTTP\/1\.1 413 /);
  client.socket.destroy();
});

test("the answer to a body far over the limit arrives, although the client is still writing", async () => {
  for (const headers of [`content-length: 20000000\r\n\r\n`, `transfer-encoding: chunked\r\n\r\n1312d00\r\n`]) {
    const client = await connectRaw(server.port);
    client.write(`POST / HTTP/1.1\r\nhost: a\r\n${headers}`);
    client.write(Buffer.alloc(20_000_000));
    if (headers.includes("chunked")) client.write("\r\n0\r\n\r\n");
    const { text, broken } = await client.closed();
    expect(text).toMatch(/^HTTP\/1\.1 413 .*connection: close/is);
    expect(broken).toBe(false);
  }
});

test("a body that stalls is answered with 408 within the bound", async () => {
  const client = await connectRaw(server.port);
  client.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf");
  const text = await client.until(/\}$/);
  expect(text).toMatch(/^HTTP\/1\.1 408 /);
  expect(text).toContain("Request body did not arrive within 100 ms.");
  expect(text).toMatch(/connection: close/i);
  client.socket.destroy();
});

test("a body that trickles is held to the same bound as one that stalls", async () => {
  const client = await connectRaw(server.port);
  client.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 100000\r\n\r\n".replace("100000", "900"));
  const trickle = setInterval(() => client.write("x"), 10);
  const text = await client.until(/\}$/);
  clearInterval(trickle);
  expect(text).toMatch(/^HTTP\/1\.1 408 /);
  client.socket.destroy();
});

test("a client that leaves during its body is a cancelled error", async () => {
  const failed = failureAt("/gone");
  const client = await connectRaw(server.port);
  client.write("POST /gone HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf");
  client.socket.destroy();
  expect((await failed).code).toBe("cancelled");
});

test("a read that starts after the client left fails at once, and not by the time-out", async () => {
  let settle: (outcome: unknown) => void;
  const outcome = new Promise<unknown>((resolve) => (settle = resolve));
  const late = await startHttpServer(
    (req, res) => {
      res.once("close", () => {
        setImmediate(() => {
          readBody(req, { ...bounds, timeoutMs: 60_000 }).catch((err: unknown) => settle(err));
        });
      });
    },
    { host: "127.0.0.1", port: 0 },
  );
  const client = await connectRaw(late.port);
  client.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nhalf");
  client.socket.destroy();
  expect(await outcome).toMatchObject({ code: "cancelled" });
  await late.stop(0);
});

test("an empty body, a body that is not UTF-8 and one that is not JSON are 400", async () => {
  expect(await post("")).toMatchObject({ status: 400, body: { error: expect.stringContaining("empty") } });
  expect(await post(new Uint8Array([0xff]))).toMatchObject({ status: 400 });
  expect(await post("{")).toMatchObject({ status: 400 });
});

test("a body is the same for any split of its bytes", async () => {
  const text = JSON.stringify({ text: "Grüße 👋 ".repeat(8) });
  const bytes = Buffer.from(text);
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 5 }), async (cuts) => {
      const edges = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
      const client = await connectRaw(server.port);
      client.write(`POST / HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-length: ${bytes.length}\r\n\r\n`);
      for (const [index, start] of edges.slice(0, -1).entries()) {
        client.write(bytes.subarray(start, edges[index + 1]));
        await new Promise((resolve) => setImmediate(resolve));
      }
      const { text: reply } = await client.closed();
      const body = Buffer.from(reply.slice(reply.indexOf("\r\n\r\n") + 4), "latin1").toString();
      expect(JSON.parse(body)).toEqual({ size: bytes.length, parsed: JSON.parse(text) });
    }),
    { numRuns: 30 },
  );
});
