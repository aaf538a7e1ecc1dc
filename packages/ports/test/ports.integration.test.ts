import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { findFreePort, findFreePorts, isListening } from "../src/index.ts";

const finder = fileURLToPath(new URL("find-ports.ts", import.meta.url));
const portsOfEach = 400;

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

test("concurrent searches share a block, and leave the event loop free", async () => {
  const ports = await findFreePorts(1);
  const searches = await Promise.all(Array.from({ length: 400 }, async () => await findFreePort()));
  expect(new Set([...ports, ...searches]).size).toBe(401);
  // Each search on its own would claim a block of 64, more than there are.
  const blocks = new Set(searches.map((port) => Math.floor((port - 10_240) / 64)));
  expect(blocks.size).toBeLessThan(20);
});

test("processes find no port twice, and none that an outgoing connection could take", async () => {
  // Among some 22,000: independent picks of three processes would repeat about twenty.
  const args = ["--conditions=@gatehouse/source", finder, String(portsOfEach)];
  const others = [1, 2].map(() => spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] }));
  const theirs = others.map(async ({ stdout }) => {
    const [printed] = (await once(stdout, "data")) as [Buffer];
    return JSON.parse(printed.toString()) as readonly number[];
  });
  const ports: number[] = [];
  while (ports.length < portsOfEach) ports.push(await findFreePort());
  const all = [...ports, ...(await Promise.all(theirs)).flat()];
  for (const { stdin } of others) stdin.end();
  expect(all).toHaveLength(3 * portsOfEach);
  expect(new Set(all).size).toBe(all.length);
  expect(all.filter((port) => port < 10_240 || port > 32_767)).toEqual([]);
});
