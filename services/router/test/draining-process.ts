import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { startHttpServer } from "@gatehouse/http";

/**
 * A service process for tests. Listens on the port of its argument, and prints it. Answers each call after the milliseconds in its
 * path; on SIGTERM it closes its port and answers its open calls.
 */
const drainMs = 60_000;
let isStopping = false;

const server = await startHttpServer(
  (req, res) => {
    if (req.url === "/healthz") return void res.end(JSON.stringify({ ok: true, stopping: isStopping }));
    const waitMs = Number(req.url?.slice(1));
    return void delay(waitMs).then(() => res.end("whole"));
  },
  { host: "127.0.0.1", port: Number(process.argv[2]), upgrades: true, carrying: { admits: () => true } },
);

process.once("SIGTERM", () => {
  isStopping = true;
  void server.stop(drainMs);
});

process.stdout.write(`${server.port}\n`);
