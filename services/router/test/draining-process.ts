import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { startHttpServer } from "@gatehouse/http";

/**
 * A service process for tests. Listens on the port of its first argument, and prints it. Answers each call after the milliseconds in
 * its path; on SIGTERM it closes its port and answers its open calls. Refuses as many shared connections as the second argument says,
 * and prints each that it accepts.
 */
const [port, refusals] = process.argv.slice(2).map(Number);
const drainMs = 60_000;
let isStopping = false;
let asked = 0;

function admits(): boolean {
  asked += 1;
  const isAdmitted = asked > (refusals ?? 0);
  if (isAdmitted) process.stdout.write("shared connection\n");
  return isAdmitted;
}

const server = await startHttpServer(
  (req, res) => {
    if (req.url === "/healthz") return void res.end(JSON.stringify({ ok: true, stopping: isStopping }));
    const waitMs = Number(req.url?.slice(1));
    return void delay(waitMs).then(() => res.end("whole"));
  },
  { host: "127.0.0.1", port: port ?? 0, upgrades: true, carrying: { admits } },
);

process.once("SIGTERM", () => {
  isStopping = true;
  void server.stop(drainMs);
});

process.stdout.write(`${server.port}\n`);
