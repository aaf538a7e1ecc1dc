import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { lapse } from "@gatehouse/async/testing";
import { answer, answerWith, type EndpointFixture, silence } from "@gatehouse/e2e";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { residentGrowthBytesMax } from "../src/bars.ts";
import { type AdversaryWorld, openAdversaryWorld } from "../src/world.ts";

const mebibyte = 1024 * 1024;
const connections = 64;
/** Total bound of buffered bytes in this world; small, so that a share is reached within a test. */
const bufferedBytesMax = 128 * mebibyte;
/** Calls of the honest project per figure. */
const calls = 200;
/** Largest p99 of another project's calls, as a multiple of its idle p99. */
const slowdownMax = 2;
/** Milliseconds below which the machine's noise dominates. */
const noiseMs = 5;
/** Pause after an attempt that another program may have slowed: longer than its burst. */
const calmMs = 500;

let world: AdversaryWorld;
let honest: EndpointFixture;
const sockets: Socket[] = [];

beforeAll(async () => {
  world = await openAdversaryWorld({ BUFFERED_BYTES_MAX: String(bufferedBytesMax), WRITE_IDLE_TIMEOUT_MS: "2000" });
  honest = await world.endpoint({}, await world.project({ rate_limit_per_minute: null, rate_limit_per_hour: null }));
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(async () => await world.stop());

async function open(bytes: string): Promise<Socket> {
  const socket = connect(Number(new URL(world.product.url).port), "127.0.0.1");
  socket.on("error", () => {});
  sockets.push(socket);
  await once(socket, "connect");
  socket.write(bytes);
  return socket;
}

const head = ({ path, token }: EndpointFixture, ...lines: readonly string[]) =>
  [`POST ${path} HTTP/1.1`, "Host: localhost", `Authorization: Bearer ${token}`, ...lines, "", ""].join("\r\n");

async function gauge(name: string): Promise<number> {
  const text = await (await fetch(`${world.product.operationsUrl}/metrics`)).text();
  return Number(new RegExp(`^gatehouse_router_${name} (\\d+)$`, "m").exec(text)?.[1]);
}

/** Resolves when a figure has been stable for a while. */
async function untilSteady(read: () => Promise<number>): Promise<void> {
  for (let [last, same] = [await read(), 0]; same < 5;) {
    await delay(200);
    const now = await read();
    same = now === last ? same + 1 : 0;
    last = now;
  }
}

/** p99 of sequential calls of the honest project, milliseconds. */
async function honestP99(): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < calls; n++) {
    const startedAt = performance.now();
    const reply = await world.ask(honest.path, { token: honest.token, body: { message: "Hello" } });
    times.push(performance.now() - startedAt);
    expect(reply.status).toBe(200);
  }
  return times.toSorted((one, other) => one - other)[Math.floor(calls * 0.99)] ?? Infinity;
}

/** Attacks, each with 64 connections of one project that hold on to resources. */
const attacks: Readonly<Record<string, () => Promise<unknown>>> = {
  "that send large bodies slowly": async () => {
    const hostile = await world.endpoint();
    const bytes = head(hostile, `Content-Length: ${4 * mebibyte}`) + "x".repeat(64 * 1024);
    for (let n = 0; n < connections; n++) await open(bytes);
    const drip = setInterval(() => sockets.forEach((socket) => socket.write("x")), 50);
    return () => clearInterval(drip);
  },
  "that send large bodies without a length, and never end them": async () => {
    const hostile = await world.endpoint();
    const bytes = `${head(hostile, "Transfer-Encoding: chunked")}100000\r\n${"x".repeat(mebibyte)}\r\n`;
    for (let n = 0; n < connections; n++) await open(bytes);
    // Waits until the maximum is buffered: sending 64 MiB loads this process, which measures too.
    await untilSteady(async () => await gauge("buffered_bytes"));
    return () => {};
  },
  "that never read their replies": async () => {
    const targets = [{ provider: await world.anotherProvider(world.backup), model: "m" }];
    const hostile = await world.endpoint({ targets });
    const message = { role: "assistant", content: "x".repeat(mebibyte) };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const choices = [{ index: 0, finish_reason: "stop", message }];
    world.backup.play(answerWith({ id: "1", object: "chat.completion", created: 1, model: "m", choices, usage }));
    const body = JSON.stringify({ message: "Hello" });
    const bytes = head(hostile, `Content-Length: ${body.length}`) + body;
    for (let n = 0; n < connections; n++) (await open(bytes.repeat(8))).pause();
    // Waits until the maximum is buffered: the calls also load the provider in this process.
    await untilSteady(async () => await gauge("buffered_bytes"));
    return () => {};
  },
  "that keep calls open": async () => {
    const targets = [{ provider: await world.anotherProvider(world.backup), model: "m" }];
    const hostile = await world.endpoint({ targets });
    world.backup.play(silence);
    const body = JSON.stringify({ message: "Hello" });
    for (let n = 0; n < connections; n++) await open(head(hostile, `Content-Length: ${body.length}`) + body);
    return () => {};
  },
};

describe("64 connections of one project", () => {
  test.each(Object.keys(attacks))("%s leave another project's calls at their speed", async (name) => {
    world.provider.play(answer("ok"));
    await honestP99();
    const findings: string[] = [];
    for (let attempt = 0; attempt < 3; attempt++) {
      const idle = await honestP99();
      const end = (await attacks[name]?.()) as () => void;
      const under = await honestP99();
      const held = await gauge("buffered_bytes");
      end();
      for (const socket of sockets.splice(0)) socket.destroy();
      await expect.poll(async () => await gauge("buffered_bytes"), { timeout: 20_000 }).toBe(0);
      expect(held).toBeLessThanOrEqual(bufferedBytesMax / 4 + mebibyte);
      if (under <= idle * slowdownMax + noiseMs) return;
      findings.push(`p99 ${under.toFixed(1)} ms, idle ${idle.toFixed(1)} ms`);
      await lapse(calmMs, "the burst of another program ends before the next attempt");
    }
    throw new Error(`Every attempt slowed the others down: ${findings.join("; ")}`);
  });

  test("that send large bodies slowly occupy no more memory than the project's share", async () => {
    const cost = await world.meter.expectHarmless(async () => {
      const end = (await attacks["that send large bodies slowly"]?.()) as () => void;
      await honestP99();
      end();
      for (const socket of sockets.splice(0)) socket.destroy();
    });
    expect(cost.residentGrowthBytes).toBeLessThan(residentGrowthBytesMax);
  });
});

test("a caller over its share gets an error with the bound and the remedy", async () => {
  const hostile = await world.endpoint();
  for (let n = 0; n < connections; n++) await open(head(hostile, `Content-Length: ${4 * mebibyte}`) + "x");
  await expect
    .poll(
      async () =>
        (await world.ask(hostile.path, { token: hostile.token, body: { message: "x".repeat(mebibyte * 3) } })).status,
    )
    .toBe(429);
  const reply = await world.ask(hostile.path, { token: hostile.token, body: { message: "x".repeat(mebibyte * 3) } });
  expect(reply.body).toMatchObject({ ok: false, retry_after: 1, bound: "token.bufferedBytes" });
  expect(reply.body["detail"]).toContain("TOKEN_SHARE_PERCENT");
});
