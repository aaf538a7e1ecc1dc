import { Agent, get } from "node:http";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { timeReferenceWorkload } from "@gatehouse/e2e/reference-workload";
import { readMainThread, readTickedCpuMs } from "./process-figures.ts";

// Polls /healthz on one keep-alive connection, as a load balancer does, and reports the longest delay of each window.

interface Ask {
  readonly delayMs: number;
  /** Part of the delay in which the product's main thread, or this process, waited for a core that other programs used. */
  readonly starvedMs: number;
  readonly failure?: string;
}

/** Interval of polls, if the answer is faster. */
const everyMs = 5;
const answerTimeoutMs = 60_000;

const [url = "", pidText = ""] = process.argv.slice(2);
const pid = Number(pidText);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
let asks: Ask[] = [];
let isWorkloadDue = false;

async function ask(): Promise<Ask> {
  const before = figures();
  const startedAt = performance.now();
  const failure = await healthz().catch((err: unknown) => String(err));
  const delayMs = performance.now() - startedAt;
  const after = figures();
  const waited = after.waitedMs - before.waitedMs;
  const ownWaited = after.probeWaitedMs - before.probeWaitedMs;
  const otherThreadsRan = Math.max(0, after.cpuMs - before.cpuMs - (after.ranMs - before.ranMs));
  // The main thread may have waited for the product's other threads; only the rest is due to other programs.
  const starvedMs = Math.max(0, waited - otherThreadsRan) + ownWaited;
  return { delayMs, starvedMs, ...(failure === undefined ? {} : { failure }) };
}

function figures() {
  const { waitedMs: probeWaitedMs } = readMainThread(process.pid);
  return { ...readMainThread(pid), cpuMs: readTickedCpuMs(pid), probeWaitedMs };
}

function healthz(): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const request = get(`${url}/healthz`, { agent, timeout: answerTimeoutMs }, (reply) => {
      reply.resume();
      reply.once("end", () => resolve(reply.statusCode === 200 ? undefined : `status ${reply.statusCode}`));
      reply.once("error", reject);
    });
    request.once("timeout", () => request.destroy(new Error("no answer")));
    request.once("error", reject);
  });
}

process.on("message", (message) => {
  if (message === "begin") asks = [];
  else if (message === "time workload") isWorkloadDue = true;
  else process.send?.(asks);
});
process.on("disconnect", () => process.exit(0));

for (;;) {
  const latest = await ask();
  asks.push(latest);
  await delay(Math.max(1, everyMs - latest.delayMs));
  if (!isWorkloadDue) continue;
  // Between two polls, so that it delays neither.
  isWorkloadDue = false;
  process.send?.(timeReferenceWorkload());
}
