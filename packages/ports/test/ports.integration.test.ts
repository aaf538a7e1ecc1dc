import { once } from "node:events";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { findFreePort, isListening } from "../src/index.ts";

test("a port is free until a server listens on it, and then another one is found", async () => {
  const port = await findFreePort();
  expect(await isListening(port)).toBe(false);
  expect(await findFreePort(port)).toBe(port);
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  expect(await isListening(port)).toBe(true);
  expect(await findFreePort(port)).not.toBe(port);
  server.close();
});

test("one process finds no port twice, and none that an outgoing connection could take", async () => {
  // Among some 22,000: without a memory, a thousand picks repeat one with a probability of 1 - 10^-9.
  const ports: number[] = [];
  while (ports.length < 1_000) ports.push(await findFreePort());
  expect(new Set(ports).size).toBe(ports.length);
  expect(ports.filter((port) => port < 10_240 || port > 32_767)).toEqual([]);
});
