import { setTimeout as delay } from "node:timers/promises";
import { chatCall, streamCall } from "../call.ts";
import { runLoad } from "../load.ts";
import { failureOf, type Failure } from "../measure.ts";
import { memoryBytesOf, readUsage } from "../process-usage.ts";
import { absent, formatNumber, type Goal } from "../report.ts";
import type { Bench, Scenario } from "../scenario.ts";
import type { Subject } from "../subject.ts";

const clients = 300;
/** Ten seconds long, so that an early end at the provider proves a cancellation. */
const call = streamCall(500, 20);
const leaveAfterChunks = 3;
/** Memory is compared after the first and the last wave: the needs of the first are not a leak. */
const waves = 3;
const cancelledWithinMs = 5000;
const healthCalls = 100;

interface Aborted {
  readonly subject: string;
  readonly left: number;
  /** Time until the provider's last stream was cancelled; undefined: not within the bound. */
  readonly cancelledMs: number | undefined;
  readonly healthyCalls: number;
  readonly memoryGrowthMib: number | undefined;
  readonly failures: readonly Failure[];
}

/** Clients that leave in the middle of a stream, nearly at once; then a check that the system still serves. */
export const abortedStreams: Scenario = {
  name: "aborted-streams",
  summary: `${clients} clients that leave in the middle of a stream; then the system must still answer, and no provider call be left`,
  async run(bench) {
    const results: Aborted[] = [];
    for (const subject of bench.subjects) {
      bench.progress(`${clients} clients leave: ${subject.name}`);
      results.push(await abort(bench, subject));
    }
    const columns = [
      "system",
      "left mid-stream",
      "provider calls cancelled",
      "health check",
      `memory after wave 1 to ${waves}`,
    ];
    const rows = results.map(({ subject, left, cancelledMs, healthyCalls, memoryGrowthMib }) => [
      subject,
      `${left} of ${clients * waves}`,
      cancelledMs === undefined ? "NOT ALL" : `within ${formatNumber(cancelledMs)} ms`,
      `${healthyCalls} of ${healthCalls * waves}`,
      memoryGrowthMib === undefined ? absent : `${formatNumber(memoryGrowthMib)} MiB`,
    ]);
    return {
      tables: [
        {
          title: `aborted-streams: ${waves} waves of ${clients} clients that leave after ${leaveAfterChunks} chunks`,
          columns,
          rows,
        },
      ],
      goals: results.filter(({ subject }) => subject === "gatehouse").map(toGoal),
      failures: results.flatMap(({ failures }) => failures),
      raw: results,
    };
  },
};

async function abort(bench: Bench, subject: Subject): Promise<Aborted> {
  const failures: Failure[] = [];
  const memory: (number | undefined)[] = [];
  const found: Wave[] = [];
  for (let wave = 0; wave < waves && failures.length === 0; wave++) {
    const result = await runWave(bench, subject);
    found.push(result);
    failures.push(...result.failures);
    const usage = subject.group && readUsage(subject.group);
    memory.push(usage && memoryBytesOf(usage));
  }
  const [first, last] = [memory[0], memory.at(-1)];
  const cancelled = found.map(({ cancelledMs }) => cancelledMs).filter((ms) => ms !== undefined);
  const sum = (figure: (wave: Wave) => number) => found.reduce((total, wave) => total + figure(wave), 0);
  return {
    subject: subject.name,
    left: sum(({ left }) => left),
    cancelledMs: cancelled.length === waves ? Math.max(...cancelled) : undefined,
    healthyCalls: sum(({ healthyCalls }) => healthyCalls),
    memoryGrowthMib: first && last && (last - first) / 2 ** 20,
    failures,
  };
}

type Wave = Omit<Aborted, "subject" | "memoryGrowthMib">;

async function runWave({ provider, toolkit }: Bench, subject: Subject): Promise<Wave> {
  const isForeign = subject.isForeign ?? false;
  const { port } = subject;
  const before = await provider.stats();
  const load = await runLoad(toolkit, {
    port,
    request: await subject.prepare(call),
    call,
    connections: clients,
    requestsMax: clients,
    seconds: 5,
    leaveAfter: leaveAfterChunks,
  });
  const failures = failureOf(subject, "aborted-streams", load);
  const cancelledMs = await untilCancelled(provider, before.streamsAborted + load.leftEarly);
  if (cancelledMs === undefined) {
    const what = `aborted-streams: provider calls go on ${cancelledWithinMs / 1000} s after their clients left`;
    failures.push({ subject: subject.name, what, isForeign });
  }
  const request = await subject.prepare(chatCall);
  const health = { port, request, call: chatCall, connections: 4, seconds: 10, requestsMax: healthCalls };
  const after = await runLoad(toolkit, health);
  failures.push(...failureOf(subject, "aborted-streams, health check", after));
  return { left: load.leftEarly, cancelledMs, healthyCalls: after.completed, failures };
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
    name: `after ${waves} waves of ${clients} clients that left mid-stream`,
    limit: "every provider call cancelled, every health check answered",
    measured: `${left} left, ${cancelledMs === undefined ? "not all cancelled" : "all cancelled"}, ${healthyCalls} of ${healthCalls * waves} answered`,
    reached: cancelledMs !== undefined && healthyCalls === healthCalls * waves,
  };
}
