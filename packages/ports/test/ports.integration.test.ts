import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { findFreePort, isListening } from "../src/index.ts";

test("a port is free until a server takes it, and then another one is found", async () => {
  const port = await findFreePort();
  expect(await isListening(port)).toBe(false);
  expect(await findFreePort(port)).toBe(port);
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  expect(await isListening(port)).toBe(true);
  expect(await findFreePort(port)).not.toBe(port);
  server.close();
});
