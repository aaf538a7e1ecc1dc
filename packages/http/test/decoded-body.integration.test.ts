import type { IncomingMessage, ServerResponse } from "node:http";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { toGatewayError } from "@gatehouse/errors";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type HttpServer, readDecodedBody, sendError, sendJson, startHttpServer } from "../src/index.ts";

const sizeBytesMax = 1_000_000;

let server: HttpServer;
let largest = 0;
beforeAll(async () => {
  server = await startHttpServer(
    (req, res) => {
      void answerWithBody(req, res);
    },
    { host: "127.0.0.1", port: 0 },
  );
});
afterAll(async () => await server.stop(0));

async function answerWithBody(req: IncomingMessage, res: ServerResponse): Promise<void> {
  try {
    const body = await readDecodedBody(req, { sizeBytesMax, timeoutMs: 2_000 });
    largest = Math.max(largest, body.length);
    sendJson(res, { status: 200, body: { text: body.toString("latin1") } });
  } catch (err) {
    sendError(res, toGatewayError(err));
  }
}

async function post(body: string | Uint8Array, coding: string) {
  const headers = { "content-encoding": coding };
  const reply = await fetch(`http://127.0.0.1:${server.port}/`, { method: "POST", body, headers });
  return { status: reply.status, body: (await reply.json()) as { text?: string; error?: string } };
}

const text = JSON.stringify({ message: "Hello ".repeat(500) });

test.each([
  ["gzip", gzipSync(text)],
  ["x-gzip", gzipSync(text)],
  [" GZip ", gzipSync(text)],
  ["gzip", Buffer.concat([gzipSync(text.slice(0, 9)), gzipSync(text.slice(9))])],
  ["deflate", deflateSync(text)],
  ["deflate", deflateRawSync(text)],
  ["br", brotliCompressSync(text)],
  ["identity", Buffer.from(text)],
  ["gzip", Buffer.alloc(0)],
])("a body in %s is read decoded", async (coding, body) => {
  expect(await post(body, coding)).toEqual({ status: 200, body: { text: body.length === 0 ? "" : text } });
});

test.each([
  ["zstd", text, "Content-Encoding 'zstd' is not supported; send gzip, deflate, br or none."],
  ["gzip, gzip", gzipSync(gzipSync(text)), "Content-Encoding 'gzip, gzip' is not supported"],
  ["x".repeat(100), text, `Content-Encoding '${"x".repeat(64)}' is not supported`],
  ["gzip", text, "Request body is not valid gzip, as its Content-Encoding says."],
  ["br", gzipSync(text), "Request body is not valid br"],
  ["deflate", gzipSync(text), "Request body is not valid deflate"],
  ["gzip", gzipSync(text).subarray(0, -9), "Request body is not valid gzip"],
])("a body that is not what %s says is refused", async (coding, body, message) => {
  const reply = await post(body, coding);
  expect(reply).toMatchObject({ status: 400, body: { ok: false } });
  expect(reply.body.error).toContain(message);
});

const megabytes = (count: number) => Buffer.alloc(count * 1_000_000);

test.each([
  ["gzip", gzipSync(megabytes(100))],
  ["deflate", deflateSync(megabytes(100))],
  ["br", brotliCompressSync(megabytes(100))],
  ["gzip, of many members", Buffer.concat(Array.from({ length: 200 }, () => gzipSync(Buffer.alloc(60_000))))],
])("a bomb of %s is refused with 413 before it has grown", async (coding, bomb) => {
  largest = 0;
  const reply = await post(bomb, coding.split(",")[0] ?? "");
  expect(reply).toMatchObject({ status: 413, body: { error: expect.stringContaining("when decompressed") as string } });
  expect(largest).toBe(0);
});

test("a body expands at most 64 times, except short ones, and never beyond the bound of all bodies", async () => {
  expect((await post(gzipSync(Buffer.alloc(65_536)), "gzip")).status).toBe(200);
  expect((await post(gzipSync(Buffer.alloc(65_537)), "gzip")).status).toBe(413);
  let seed = 1;
  const noise = () => (seed = (seed * 1_664_525 + 1_013_904_223) >>> 0) >>> 24;
  const incompressible = Buffer.from(Array.from({ length: 30_000 }, noise));
  const large = (bytes: number) =>
    gzipSync(Buffer.concat([incompressible, Buffer.alloc(bytes - 30_000)]), { level: 1 });
  expect(large(sizeBytesMax).length * 64).toBeGreaterThan(sizeBytesMax);
  expect((await post(large(sizeBytesMax), "gzip")).status).toBe(200);
  expect((await post(large(sizeBytesMax + 1), "gzip")).status).toBe(413);
});

test("a compressed body that is too large as it comes is refused as such", async () => {
  const reply = await post(Buffer.alloc(sizeBytesMax + 1), "gzip");
  expect(reply).toMatchObject({ status: 413, body: { error: `Request body is larger than ${sizeBytesMax} bytes.` } });
});

test("any bytes in any coding are read or refused", async () => {
  const codings = ["gzip", "deflate", "br"] as const;
  const compress = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync };
  const bytes = fc.uint8Array({ maxLength: 400 });
  const sent = fc.record({ coding: fc.constantFrom(...codings), said: bytes, noise: bytes, isWhole: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(sent, async ({ coding, said, noise, isWhole }) => {
      const whole = compress[coding](said);
      const body = isWhole ? whole : Buffer.concat([whole.subarray(0, whole.length >> 1), noise]);
      const reply = await post(body, coding);
      expect([200, 400]).toContain(reply.status);
      if (isWhole) expect(reply.body.text).toBe(Buffer.from(said).toString("latin1"));
    }),
    { numRuns: 200, seed: 5 },
  );
});
