import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { lapse } from "@gatehouse/async/testing";
import { describe, expect, test } from "vitest";
import { startHttpServer } from "../src/index.ts";

/** A worker thread that calls a port on new connections, and counts the calls' results. */
const callers = `
  const { parentPort, workerData: { port, everyMs } } = require("node:worker_threads");
  const net = require("node:net");
  const ends = { answered: 0 };
  const count = (end) => { ends[end] = (ends[end] ?? 0) + 1; };
  let open = 0, isOver = false;
  const timer = setInterval(() => {
    open += 1;
    const socket = net.connect(port, "127.0.0.1");
    socket.write("GET / HTTP/1.1\\r\\nhost: a\\r\\nconnection: close\\r\\n\\r\\n");
    socket.once("data", () => { if (ends.answered === 0) parentPort.postMessage("begun"); count("answered"); });
    socket.once("error", ({ code }) => count(code));
    socket.once("close", () => { open -= 1; end(); });
  }, everyMs);
  const end = () => { if (isOver && open === 0) parentPort.postMessage(ends); };
  parentPort.once("message", () => { isOver = true; clearInterval(timer); end(); });
`;

/** Longer than a turn that counts as quiet. */
const busyMs = 12;
/** Time that connections have waited when the server stops. */
const waitingMs = 150;

function block(ms: number): void {
  for (const untilMs = performance.now() + ms; performance.now() < untilMs;);
}

/** Prevents quiet turns until the signal fires. */
function keepBusy(signal: AbortSignal): void {
  if (signal.aborted) return;
  block(busyMs);
  setImmediate(() => keepBusy(signal));
}

test.each([
  { port: "alone", shared: undefined },
  { port: "that other processes have let go of", shared: { isHeld: () => false } },
])(
  "a busy server, on a port $port, that stops resets at most one waiting connection; the others are refused",
  async ({ shared }) => {
    const options = { host: "127.0.0.1", port: 0, ...(shared === undefined ? {} : { shared }) };
    const server = await startHttpServer((_req, res) => void res.end("ok"), options);
    const worker = new Worker(callers, { eval: true, workerData: { port: server.port, everyMs: 5 } });
    await once(worker, "message");
    const over = new AbortController();
    keepBusy(over.signal);
    block(waitingMs);
    await server.stop(60_000);
    over.abort();
    worker.postMessage("over");
    const [ends] = (await once(worker, "message")) as [Readonly<Record<string, number>>];
    await worker.terminate();
    expect(ends["answered"]).toBeGreaterThan(0);
    expect(ends["ECONNREFUSED"]).toBeGreaterThan(0);
    expect(ends["ECONNRESET"] ?? 0).toBeLessThanOrEqual(1);
  },
);

test("a connection that is accepted after the end of the drain, and sends nothing, is closed", async () => {
  const server = await startHttpServer((_req, res) => void res.end("ok"), { host: "127.0.0.1", port: 0 });
  // The timers of the event loop run after this turn, and connections after its timers.
  await nextTurn();
  const socket = connect(server.port, "127.0.0.1").on("error", () => {});
  const closed = once(socket, "close");
  const drainMs = 1;
  const stopping = server.stop(drainMs);
  block(waitingMs);
  await Promise.all([stopping, closed]);
});

test("a busy server with ever new connections closes its port within its drain", async () => {
  const server = await startHttpServer((_req, res) => void res.end("ok"), { host: "127.0.0.1", port: 0 });
  const worker = new Worker(callers, { eval: true, workerData: { port: server.port, everyMs: 1 } });
  await once(worker, "message");
  const over = new AbortController();
  keepBusy(over.signal);
  const startedMs = performance.now();
  await server.stop(50);
  const tookMs = performance.now() - startedMs;
  over.abort();
  await worker.terminate();
  expect(tookMs).toBeLessThan(3_000);
});

test("a request on an idle connection that arrives before its end is answered, also by a busy server", async () => {
  const server = await startHttpServer((_req, res) => void res.end("ok"), { host: "127.0.0.1", port: 0 });
  const socket = connect(server.port, "127.0.0.1");
  const request = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
  socket.write(request);
  await once(socket, "data");
  const idleMs = 100;
  const stopping = server.stop(60_000, idleMs);
  // The server has passed its quiet turns, and waits for the end of the idle connections.
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  const answered = once(socket, "data") as Promise<[Buffer]>;
  socket.write(request);
  block(idleMs + waitingMs);
  const [reply] = await answered;
  expect(reply.toString()).toContain("200 OK");
  await stopping;
});

/** A worker thread that calls a port at a steady rate on kept connections in turn, and counts the calls' results. */
const keptCallers = `
  const { parentPort, workerData: { port, everyMs } } = require("node:worker_threads");
  const http = require("node:http");
  const ends = { answered: 0 };
  let open = 0, isOver = false, calls = 0;
  const agent = new http.Agent({ keepAlive: true, scheduling: "fifo" });
  const call = () => {
    let isEnded = false;
    const end = (how) => {
      if (isEnded) return;
      isEnded = true;
      ends[how] = (ends[how] ?? 0) + 1;
      open -= 1;
      if (ends.answered === 40) parentPort.postMessage("begun");
      if (isOver && open === 0) parentPort.postMessage(ends);
    };
    open += 1;
    calls += 1;
    const req = http.request({ port, host: "127.0.0.1", path: "/" + (calls % 4) * 300, agent });
    const lose = ({ code }) => end(code + (req.reusedSocket ? " on a kept connection" : ""));
    req.once("response", (res) => res.resume().once("end", () => end("answered")).once("error", lose));
    req.once("error", lose).end();
  };
  const timer = setInterval(call, everyMs);
  parentPort.once("message", () => { isOver = true; clearInterval(timer); if (open === 0) parentPort.postMessage(ends); });
`;

test("a reply without a head when the stop is announced, and each later one, asks for another connection", async () => {
  const held: ServerResponse[] = [];
  const server = await startHttpServer((_req, res) => void held.push(res), { host: "127.0.0.1", port: 0 });
  const sockets = [1, 2].map(() => connect(server.port, "127.0.0.1"));
  const replies = sockets.map(async (socket) => {
    let text = "";
    socket.on("data", (bytes: Buffer) => (text += bytes.toString()));
    await once(socket, "end");
    return text;
  });
  const send = async (socket: Socket | undefined, sent: number) => {
    socket?.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
    await expect.poll(() => held.length).toBe(sent);
  };
  await send(sockets[0], 1);
  server.announceStop();
  await send(sockets[1], 2);
  for (const res of held) res.end("ok");
  for (const reply of replies) expect(await reply).toMatch(/connection: close\r\n/i);
  await server.stop(0);
});

describe("calls at a steady rate on connections that are kept", () => {
  const callsPerSecond = 200;
  const restarts = 10;
  /** Time in which each connection has been used once. */
  const noticeMs = 400;

  /** @param begin may begin the reply before its time is over */
  async function restart(begin: (res: ServerResponse) => void) {
    const server = await startHttpServer(
      (req, res) => {
        begin(res);
        void delay(Number(req.url?.slice(1))).then(() => res.end("ok"));
      },
      { host: "127.0.0.1", port: 0 },
    );
    const workerData = { port: server.port, everyMs: 1_000 / callsPerSecond };
    const worker = new Worker(keptCallers, { eval: true, workerData });
    await once(worker, "message");
    server.announceStop();
    await lapse(noticeMs, "each kept connection has its turn");
    await server.stop(60_000, noticeMs);
    worker.postMessage("over");
    const [ends] = (await once(worker, "message")) as [Readonly<Record<string, number>>];
    await worker.terminate();
    return Object.keys(ends);
  }

  test.each([
    { replies: "whole", begin: () => {} },
    { replies: "begun before the stop", begin: (res: ServerResponse) => void res.write("begun") },
  ])(
    "lose none of them when their server stops, with replies that are $replies",
    async ({ begin }) => {
      const ends: string[] = [];
      for (let round = 0; round < restarts; round += 1) ends.push(...(await restart(begin)));
      // The one connection left in the backlog may be reset; see above.
      expect(new Set(ends.filter((end) => end !== "ECONNRESET"))).toEqual(new Set(["answered", "ECONNREFUSED"]));
    },
    60_000,
  );
});
