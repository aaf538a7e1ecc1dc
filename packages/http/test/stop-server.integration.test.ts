import { once } from "node:events";
import { connect } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { startHttpServer } from "../src/index.ts";

/** A thread that calls a port on new connections, whatever the other threads do, and counts how the calls end. */
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

/** Longer than a turn may be to count as a quiet one. */
const busyMs = 12;
/** Connections of so long wait when the server stops. */
const waitingMs = 150;

function block(ms: number): void {
  for (const untilMs = performance.now() + ms; performance.now() < untilMs;);
}

/** Leaves no quiet turn, until the signal fires. */
function keepBusy(signal: AbortSignal): void {
  if (signal.aborted) return;
  block(busyMs);
  setImmediate(() => keepBusy(signal));
}

test.each([
  { port: "alone", shared: undefined },
  { port: "that other processes have let go of", shared: { isHeld: () => false } },
])(
  "a busy server, on a port $port, that stops resets one connection that waits at most; the others are refused",
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

test("a connection that is accepted after the drain has ended, and sends nothing, is ended", async () => {
  const server = await startHttpServer((_req, res) => void res.end("ok"), { host: "127.0.0.1", port: 0 });
  // The timers of the event loop come after this turn, and connections after its timers.
  await nextTurn();
  const socket = connect(server.port, "127.0.0.1").on("error", () => {});
  const closed = once(socket, "close");
  const drainMs = 1;
  const stopping = server.stop(drainMs);
  block(waitingMs);
  await Promise.all([stopping, closed]);
});

test("a busy server whose connections never cease to come closes its port within its drain", async () => {
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

test("a request that has come on an idle connection by the time that these are ended is answered, however busy the server was", async () => {
  const server = await startHttpServer((_req, res) => void res.end("ok"), { host: "127.0.0.1", port: 0 });
  const socket = connect(server.port, "127.0.0.1");
  const request = "GET / HTTP/1.1\r\nhost: a\r\n\r\n";
  socket.write(request);
  await once(socket, "data");
  const idleMs = 100;
  const stopping = server.stop(60_000, idleMs);
  // The server has let its quiet turns go by, and waits for the end of the idle connections.
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
  const answered = once(socket, "data") as Promise<[Buffer]>;
  socket.write(request);
  block(idleMs + waitingMs);
  const [reply] = await answered;
  expect(reply.toString()).toContain("200 OK");
  await stopping;
});
