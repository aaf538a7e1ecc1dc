import { setTimeout as delay } from "node:timers/promises";
import { chatCall, streamCall } from "../call.ts";
import { runLoad } from "../load.ts";
import { failureOf, type Failure } from "../measure.ts";
import { readUsage } from "../process-usage.ts";
import { absent, formatNumber, type Goal } from "../report.ts";
import type { Bench, Scenario } from "../scenario.ts";
import type { Subject } from "../subject.ts";

const clients = 300;
/** Ten seconds long, so that a provider call that ends soon was cancelled and has not merely run out. */
const call = streamCall(500, 20);
const leaveAfterChunks = 3;
const cancelledWithinMs = 5000;
const healthCalls = 100;

interface Aborted {
  readonly subject: string;
  readonly left: number;
  /** Until the provider's last stream was cancelled; undefined: not within the bound. */
  readonly cancelledMs: number | undefined;
  readonly healthyCalls: number;
  readonly memoryGrowthMib: number | undefined;
  readonly failures: readonly Failure[];
}

/** Clients that leave in the middle of a stream, all about at once; then a check that the system still serves. */
export const abortedStreams: Scenario = {
  name: "aborted-streams",
  summary: `${clients} clients that leave in the middle of a stream; then the system must still answer, and no provider call be left`,
  async run(bench) {
    const results: Aborted[] = [];
    for (const subject of bench.subjects) {
      bench.progress(`${clients} clients leave: ${subject.name}`);
      results.push(await abort(bench, subject));
    }
    const columns = ["system", "left mid-stream", "provider calls cancelled", "health check", "memory after"];
    const rows = results.map(({ subject, left, cancelledMs, healthyCalls, memoryGrowthMib }) => [
      subject,
      `${left} of ${clients}`,
      cancelledMs === undefined ? "NOT ALL" : `within ${formatNumber(cancelledMs)} ms`,
      `${healthyCalls} of ${healthCalls}`,
      memoryGrowthMib === undefined ? absent : `+ ${formatNumber(memoryGrowthMib)} MiB`,
    ]);
    return {
      tables: [{ title: `aborted-streams: ${clients} clients leave after ${leaveAfterChunks} chunks`, columns, rows }],
      goals: results.filter(({ subject }) => subject === "gatehouse").map(toGoal),
      failures: results.flatMap(({ failures }) => failures),
      raw: results,
    };
  },
};

async function abort({ provider, toolkit }: Bench, subject: Subject): Promise<Aborted> {
  const isForeign = subject.isForeign ?? false;
  const failures: Failure[] = [];
  const fail = (what: string) => failures.push({ subject: subject.name, what: `aborted-streams: ${what}`, isForeign });
  const health = { port: subject.port, request: await subject.prepare(chatCall), call: chatCall, connections: 4 };
  const memory = () => (subject.group ? readUsage(subject.group)?.memoryBytes : undefined);
  await runLoad(toolkit, { ...health, seconds: 5, requestsMax: healthCalls });
  const [memoryBefore, statsBefore] = [memory(), await provider.stats()];
  const load = await runLoad(toolkit, {
    port: subject.port,
    request: await subject.prepare(call),
    call,
    connections: clients,
    requestsMax: clients,
    seconds: 5,
    leaveAfter: leaveAfterChunks,
  });
  failures.push(...failureOf(subject, "aborted-streams", load));
  const cancelledMs = await untilCancelled(provider, statsBefore.streamsAborted + load.leftEarly);
  if (cancelledMs === undefined) fail(`provider calls go on ${cancelledWithinMs / 1000} s after their clients left`);
  const after = await runLoad(toolkit, { ...health, seconds: 10, requestsMax: healthCalls });
  failures.push(...failureOf(subject, "aborted-streams, health check", after));
  const memoryAfter = memory();
  return {
    subject: subject.name,
    left: load.leftEarly,
    cancelledMs,
    healthyCalls: after.completed,
    memoryGrowthMib: memoryBefore && memoryAfter && (memoryAfter - memoryBefore) / 2 ** 20,
    failures,
  };
}

async function untilCancelled(provider: Bench["provider"], expected: number): Promise<number | undefined> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < cancelledWithinMs) {
    if ((await provider.stats()).streamsAborted >= expected) return performance.now() - startedAt;
    await delay(10);
  }
  return undefined;
}

function toGoal({ left, cancelledMs, healthyCalls }: Aborted): Goal {
  return {
    name: `after ${clients} clients left mid-stream`,
    limit: "every provider call cancelled, every health check answered",
    measured: `${left} left, ${cancelledMs === undefined ? "not all cancelled" : "all cancelled"}, ${healthyCalls} of ${healthCalls} answered`,
    reached: cancelledMs !== undefined && healthyCalls === healthCalls,
  };
}
