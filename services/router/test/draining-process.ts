import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { startHttpServer } from "@gatehouse/http";

/**
 * A process of a service for tests, which listens on the port of its argument, or on a free one, and prints it. It answers each call after
 * the milliseconds that its path names; SIGTERM has it close its port and answer what it holds.
 */
const drainMs = 60_000;
let isStopping = false;

const server = await startHttpServer(
  (req, res) => {
    if (req.url === "/healthz") return void res.end(JSON.stringify({ ok: true, stopping: isStopping }));
    const waitMs = Number(req.url?.slice(1));
    return void delay(waitMs).then(() => res.end("whole"));
  },
  { host: "127.0.0.1", port: Number(process.argv[2] ?? 0), upgrades: true, carrying: { admits: () => true } },
);

process.once("SIGTERM", () => {
  isStopping = true;
  void server.stop(drainMs);
});

process.stdout.write(`${server.port}\n`);
