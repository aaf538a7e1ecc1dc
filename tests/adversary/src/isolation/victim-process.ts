import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { readMainThread, readOtherThreadsMs } from "../process-figures.ts";

// An honest tenant: its provider, and calls at a steady rate. Prints its provider's address, then the latencies of each requested
// interval.

interface Interval {
  readonly url: string;
  readonly path: string;
  readonly token: string;
  readonly ms: number;
  /** Process id of the product. */
  readonly pid: number;
}

/** A call and its reply. */
interface Timed {
  readonly tookMs: number;
  /** Excludes time for which other programs kept the product's main thread, or this process, from a core. */
  readonly ownMs: number;
  readonly status: number;
}

const everyMs = 20;
const agent = new Agent({ keepAlive: true, maxSockets: 32 });
const reply = JSON.stringify({
  choices: [{ index: 0, message: { role: "assistant", content: "Short." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});

const provider = createServer((req, res) => {
  req.resume().once("end", () => res.writeHead(200, { "content-type": "application/json" }).end(reply));
});
provider.listen(0, "127.0.0.1");
await once(provider, "listening");

async function call({ url, path, token }: Interval): Promise<number> {
  const body = '{"message":"Hello"}';
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    "content-length": body.length,
  };
  return await new Promise((resolve) => {
    const outgoing = request(url, { path, method: "POST", agent, headers }, (res) => {
      res.resume().once("close", () => resolve(res.statusCode ?? 0));
    });
    outgoing.once("error", () => resolve(0));
    outgoing.end(body);
  });
}

/** Open-loop load: calls start on schedule whether or not earlier ones were answered; delays count. */
async function run(interval: Interval): Promise<readonly Timed[]> {
  const calls: Promise<Timed>[] = [];
  const startedAt = performance.now();
  for (let at = 0; at < interval.ms; at += everyMs) {
    await delay(Math.max(0, startedAt + at - performance.now()));
    calls.push(timed(interval));
  }
  return await Promise.all(calls);
}

async function timed(interval: Interval): Promise<Timed> {
  const before = waits(interval.pid);
  const begun = performance.now();
  const status = await call(interval);
  const tookMs = performance.now() - begun;
  const after = waits(interval.pid);
  // The main thread may have waited for the product's other threads; only the rest is due to other programs.
  const starvedMs = after.productMs - before.productMs - (after.otherThreadsMs - before.otherThreadsMs);
  // Simultaneous waits of both count once.
  const waitedMs = Math.max(0, starvedMs, after.ownMs - before.ownMs);
  return { tookMs, ownMs: Math.max(0, tookMs - waitedMs), status };
}

/**
 * Time so far for which the product's main thread and this process have waited for a core, and the product's other threads have
 * run.
 */
function waits(pid: number) {
  return {
    productMs: readMainThread(pid).waitedMs,
    otherThreadsMs: readOtherThreadsMs(pid),
    ownMs: readMainThread(process.pid).waitedMs,
  };
}

process.on("message", (interval) => void run(interval as Interval).then((calls) => process.send?.(calls)));
process.on("disconnect", () => process.exit(0));
process.send?.({ providerUrl: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1` });
