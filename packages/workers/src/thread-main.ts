import { parentPort, workerData } from "node:worker_threads";
import { encodeErrorWire, isGatewayError } from "@gatehouse/errors";
import type { Task } from "./task-module.ts";
import type { ThreadData, ThreadReport } from "./worker-thread.ts";
import { yieldToEventLoop } from "./yield-to-event-loop.ts";

yieldToEventLoop();

const { module } = workerData as ThreadData;
const { run } = (await import(module)) as { readonly run: Task<unknown, unknown> };

parentPort?.on("message", (input: unknown) => void attempt(input).then(send));
send({ kind: "ready" });

async function attempt(input: unknown): Promise<ThreadReport> {
  try {
    return { kind: "done", output: await run(input) };
  } catch (err) {
    if (isGatewayError(err)) return { kind: "refused", wire: encodeErrorWire(err) };
    const { message, stack } = err instanceof Error ? err : new Error(String(err));
    return { kind: "failed", message, stack };
  }
}

function send(report: ThreadReport): void {
  parentPort?.postMessage(report);
}
