import { Agent, get } from "node:http";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { timeReferenceWorkload } from "@gatehouse/e2e/reference-workload";
import { readMainThread, readTickedCpuMs } from "./process-figures.ts";

// Asks /healthz on one kept-alive connection, as a load balancer does, and gives the parent the longest delay of each window.

/** A question and its answer. */
interface Ask {
  readonly delayMs: number;
  /** Part of the delay in which the product's main thread, or this process, waited for a core that other programs held. */
  readonly starvedMs: number;
  readonly failure?: string;
}

/** From one question to the next, where the answer is quicker. */
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
  // The product's other threads may be what its main thread waited for; only the rest is the machine's.
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
  // Between two questions, where it delays none.
  isWorkloadDue = false;
  process.send?.(timeReferenceWorkload());
}
