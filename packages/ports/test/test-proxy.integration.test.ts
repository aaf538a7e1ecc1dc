import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { lapse } from "@gatehouse/async/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestProxy, type TestProxy } from "../src/testing.ts";

const largeBytes = 64 * 1024 * 1024;

let server: Server;
let proxy: TestProxy;

/** A server that repeats what it gets. */
beforeEach(async () => {
  server = createServer((socket) => void socket.on("error", () => {}).pipe(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  proxy = await startTestProxy((server.address() as AddressInfo).port);
});

afterEach(async () => {
  await proxy.close();
  server.close();
});

async function open(): Promise<Socket> {
  const socket = connect(proxy.port, "127.0.0.1").on("error", () => {});
  await once(socket, "connect");
  return socket;
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => void socket.once("close", () => resolve()));
}

async function ask(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  const [answer] = (await once(socket, "data")) as [Buffer];
  return answer.toString();
}

test("a frozen proxy passes nothing, also to new connections and to a reader that was slow, until it thaws", async () => {
  const slow = await open();
  slow.pause();
  slow.write(Buffer.alloc(largeBytes));
  await lapse(200, "buffers fill up");
  proxy.freeze();
  const late = await open();
  const answer = ask(late, "late");
  let bytes = 0;
  slow.on("data", (piece: Buffer) => (bytes += piece.length));
  slow.resume();
  await lapse(300, "what the system had buffered arrives");
  const atOnce = bytes;
  await lapse(300, "nothing more arrives");
  expect(bytes).toBe(atOnce);
  expect(bytes).toBeLessThan(largeBytes);
  proxy.thaw();
  expect(await answer).toBe("late");
  await expect.poll(() => bytes).toBe(largeBytes);
  slow.destroy();
  late.destroy();
});

test("a refusing proxy resets connections and counts attempts, until it accepts", async () => {
  const cut = await open();
  expect(await ask(cut, "first")).toBe("first");
  const cutEnd = closed(cut);
  proxy.refuse();
  await cutEnd;
  await closed(connect(proxy.port, "127.0.0.1").on("error", () => {}));
  proxy.accept();
  const socket = await open();
  expect(await ask(socket, "again")).toBe("again");
  expect(proxy.attempts).toBe(3);
  socket.destroy();
});
