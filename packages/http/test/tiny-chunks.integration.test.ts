import { afterEach, expect, test } from "vitest";
import {
  defaultHttpServerBounds,
  type HttpServer,
  readBody,
  replyEndOf,
  sendJson,
  startHttpServer,
} from "../src/index.ts";
import { connectRaw } from "../src/testing.ts";
import { chunkBytesMin, tinyChunksMax } from "../src/tiny-chunks.ts";

let server: HttpServer | undefined;
afterEach(async () => await server?.stop(0));

/** Answers with the size of a body; `failed` resolves with the end of the first reply whose body could not be read. */
async function serve() {
  const failed = Promise.withResolvers<unknown>();
  server = await startHttpServer(
    (req, res) => {
      readBody(req, { sizeBytesMax: 4 * 1024 * 1024, timeoutMs: 10_000 }).then(
        (body) => sendJson(res, { status: 200, body: { bytes: body.length } }),
        () => failed.resolve(replyEndOf(res)),
      );
    },
    { host: "127.0.0.1", port: 0, bounds: defaultHttpServerBounds },
  );
  const client = await connectRaw(server.port);
  client.write("POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n");
  return { client, failed: failed.promise };
}

function chunksOf(bytes: number, count: number): string {
  return `${bytes.toString(16)}\r\n${"a".repeat(bytes)}\r\n`.repeat(count);
}

test("a body in very many tiny chunks is refused, and its connection ended with the rest unread", async () => {
  const { client, failed } = await serve();
  client.write(chunksOf(1, tinyChunksMax));
  client.write(chunksOf(1, 1));
  const { text } = await client.closed();
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).toContain("send larger chunks, or a Content-Length");
  await expect(failed).resolves.toMatchObject({
    code: "malformed_body",
    message: expect.stringContaining("send larger chunks"),
  });
});

test("a body that breaks off in a malformed chunk ends its reply with the refusal, for the log", async () => {
  const { client, failed } = await serve();
  client.write("x\r\n");
  expect((await client.closed()).text).toMatch(/^HTTP\/1\.1 400 /);
  await expect(failed).resolves.toMatchObject({ code: "malformed_body", message: "The request is malformed." });
});

test.each([
  ["as many tiny chunks as are let in", 1, tinyChunksMax],
  ["more chunks of a sufficient size", 2 * chunkBytesMin, tinyChunksMax + 1_000],
])("a body in %s is taken", async (...[, bytes, count]) => {
  const { client } = await serve();
  client.write(`${chunksOf(bytes, count)}0\r\n\r\n`);
  await client.until(new RegExp(`{"bytes":${bytes * count}}`));
});
