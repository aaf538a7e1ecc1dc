import { once } from "node:events";
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";

// An honest tenant: its provider, and calls at a steady pace. Says its provider's address, then the latencies of each interval asked for.

interface Interval {
  readonly url: string;
  readonly path: string;
  readonly token: string;
  readonly ms: number;
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

/** Calls start at their time, whether those before them have been answered or not; the wait for that counts. */
async function run(interval: Interval): Promise<{ latenciesMs: number[]; refused: number }> {
  const calls: Promise<{ tookMs: number; status: number }>[] = [];
  const startedAt = performance.now();
  for (let at = 0; at < interval.ms; at += everyMs) {
    await delay(Math.max(0, startedAt + at - performance.now()));
    calls.push(timed(interval));
  }
  const done = await Promise.all(calls);
  return {
    latenciesMs: done.map(({ tookMs }) => tookMs),
    refused: done.filter(({ status }) => status !== 200).length,
  };
}

async function timed(interval: Interval): Promise<{ tookMs: number; status: number }> {
  const begun = performance.now();
  const status = await call(interval);
  return { tookMs: performance.now() - begun, status };
}

process.on("message", (interval) => void run(interval as Interval).then((figures) => process.send?.(figures)));
process.on("disconnect", () => process.exit(0));
process.send?.({ providerUrl: `http://127.0.0.1:${(provider.address() as AddressInfo).port}/v1` });
