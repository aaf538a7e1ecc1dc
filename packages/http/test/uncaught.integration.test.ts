import type { ServerResponse } from "node:http";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { carrierBounds } from "../src/carrier/bounds.ts";
import { frameKinds, replyFlags } from "../src/carrier/frames.ts";
import { type HttpServer, type HttpServerOptions, startHttpServer } from "../src/index.ts";
import { connectRaw } from "../src/testing.ts";
import { openCarrier } from "./carried-pair.ts";

let server: HttpServer | undefined;

afterEach(async () => await server?.stop(0));

const fault = new Error("A fault of the gateway's own code.");
const fail = () => {
  throw fault;
};
const request = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
const upgrade = "GET / HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";

/** Replaces the test runner's listeners of uncaught exceptions, as the process's guard would. */
function catchUncaught(): readonly unknown[] {
  const caught: unknown[] = [];
  const before = process.listeners("uncaughtException");
  process.removeAllListeners("uncaughtException");
  process.on("uncaughtException", (cause) => caught.push(cause));
  onTestFinished(() => {
    process.removeAllListeners("uncaughtException");
    for (const listener of before) process.on("uncaughtException", listener);
  });
  return caught;
}

test.each<[string, string, Partial<HttpServerOptions>]>([
  ["the handler of a request", request, {}],
  ["the handler of a request to switch protocols", upgrade, { upgrades: true }],
  ["the judgement of a connection", request, { admitConnection: fail }],
])("an exception in %s ends its connection, and reaches the guard of the process", async (...[, bytes, options]) => {
  const caught = catchUncaught();
  server = await startHttpServer(fail, { host: "127.0.0.1", port: 0, ...options });
  const client = await connectRaw(server.port);
  client.write(bytes);
  expect((await client.closed()).text).toBe("");
  await expect.poll(() => caught).toEqual([fault]);
});

test("an exception in the handler of a queued request ends the connection, and reaches the guard", async () => {
  const caught = catchUncaught();
  let begun = 0;
  server = await startHttpServer((_req, res) => ((begun += 1) === 1 ? void res.end("ok") : fail()), {
    host: "127.0.0.1",
    port: 0,
  });
  const client = await connectRaw(server.port);
  client.write(request + request);
  expect((await client.closed()).text).toMatch(/ok$/);
  await expect.poll(() => caught).toEqual([fault]);
});

test("an exception in the handler of a carried call breaks off that call alone, and reaches the guard", async () => {
  const caught = catchUncaught();
  const options = { host: "127.0.0.1", port: 0, upgrades: true, carrying: { admits: () => true } };
  server = await startHttpServer((req, res) => (req.url === "/fault" ? fail() : void res.end("ok")), options);
  const { send, read, socket } = await openCarrier(server.port);
  send(
    { kind: frameKinds.call, id: 1, head: '["POST","/fault",{}]' },
    { kind: frameKinds.call, id: 2, head: '["POST","/",{}]' },
  );
  await expect.poll(() => read.length).toBe(2);
  expect(read.find(({ id }) => id === 1)?.flags).toBe(replyFlags.broken);
  expect(read.find(({ id }) => id === 2)?.body.toString()).toBe("ok");
  await expect.poll(() => caught).toEqual([fault]);
  socket.destroy();
});

test("an exception in a drain listener of a carried call reaches the guard", async () => {
  const caught = catchUncaught();
  const options = { host: "127.0.0.1", port: 0, upgrades: true, carrying: { admits: () => true } };
  const listener = (_req: unknown, res: ServerResponse) =>
    void res.on("drain", fail).write(Buffer.alloc(carrierBounds.windowBytes));
  server = await startHttpServer(listener, options);
  const { send, read, socket } = await openCarrier(server.port);
  send({ kind: frameKinds.call, id: 1, head: '["POST","/",{}]' });
  await expect.poll(() => read.length).toBeGreaterThan(0);
  send({ kind: frameKinds.credit, id: 1, head: String(carrierBounds.windowBytes) });
  await expect.poll(() => caught).toEqual([fault]);
  socket.destroy();
});
