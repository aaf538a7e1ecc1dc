import type { Call } from "./call.ts";
import { errorCount, runLoad, type LoadPlan, type LoadReport } from "./load.ts";
import type { Toolkit } from "./native.ts";
import type { BenchOptions } from "./options.ts";
import { readUsage, spentByName, spentNs } from "./process-usage.ts";
import { roundOrder } from "./statistics.ts";
import type { Subject } from "./subject.ts";
import { hasSettled, warmUpSliceCalls } from "./warm-up.ts";

const warmUpPacedStreamsMax = 1000;

/** A load on a system. */
export interface Stage {
  readonly name: string;
  readonly call: Call;
  readonly connections: number;
  /** Calls per second; absent: a closed loop. */
  readonly rate?: number;
  /** Time over which the connections' first calls are spread, which is also the cell's warm-up. */
  readonly rampMs?: number;
  /** Divisor of the CPU time. */
  readonly unit: "call" | "chunk";
}

/** One subject at one stage in one round. */
export interface Cell {
  readonly subject: string;
  readonly stage: string;
  readonly round: number;
  readonly load: LoadReport;
  /** CPU per call or chunk, of the product's processes and of its database; undefined where unreadable. */
  readonly cpuUs: number | undefined;
  readonly databaseCpuUs: number | undefined;
  /** CPU per call or chunk, by process name. */
  readonly cpuUsByName: Readonly<Record<string, number>>;
}

/** A failure, and its subject. */
export interface Failure {
  readonly subject: string;
  readonly what: string;
  readonly isForeign: boolean;
}

export interface Measurement {
  readonly stages: readonly Stage[];
  readonly subjects: readonly Subject[];
  readonly cells: readonly Cell[];
  readonly failures: readonly Failure[];
}

export interface MeasureContext {
  readonly toolkit: Toolkit;
  readonly options: BenchOptions;
  readonly progress: (text: string) => void;
}

export interface MeasurePlan {
  readonly subjects: readonly Subject[];
  readonly stages: readonly Stage[];
}

/**
 * Measures every subject at every stage in interleaved rounds. First checks each subject's answers, and excludes one that fails;
 * then warms up all, which stay up until the end.
 */
export async function measure(context: MeasureContext, plan: MeasurePlan): Promise<Measurement> {
  const { options, progress } = context;
  const failures: Failure[] = [];
  const cells: Cell[] = [];
  const sound: Subject[] = [];
  for (const subject of plan.subjects) {
    const failure = await firstFailure(context, subject, plan.stages);
    if (failure) failures.push(failure);
    else sound.push(subject);
  }
  for (let round = 0; round < options.rounds; round++) {
    for (const stage of plan.stages) {
      for (const subject of roundOrder(sound, round)) {
        progress(`round ${round + 1} of ${options.rounds}: ${stage.name}, ${subject.name}`);
        const cell = await measureCell(context, { subject, stage, round });
        cells.push(cell);
        failures.push(...failureOf(subject, stage.name, cell.load));
      }
    }
  }
  return { stages: plan.stages, subjects: sound, cells, failures };
}

/** Summarises a report's errors as a failure, if any. */
export function failureOf(subject: Subject, stage: string, load: LoadReport): Failure[] {
  const count = errorCount(load);
  const complaint = count > 0 ? `${count} of ${load.issued} calls failed: ${load.example}` : "no call was completed";
  const isRight = count === 0 && load.completed + load.leftEarly > 0;
  return isRight
    ? []
    : [{ subject: subject.name, what: `${stage}: ${complaint}`, isForeign: subject.isForeign ?? false }];
}

/** Checks and warms up each kind of call in a closed loop at its heaviest stage: code is compiled by calls, not by time. */
async function firstFailure(
  context: MeasureContext,
  subject: Subject,
  stages: readonly Stage[],
): Promise<Failure | undefined> {
  const { toolkit, options, progress } = context;
  const heaviest = [
    ...new Map(
      stages.toSorted((a, b) => a.connections - b.connections).map((stage) => [stage.call.name, stage]),
    ).values(),
  ];
  try {
    for (const stage of heaviest) {
      progress(`warming up: ${stage.call.name}, ${subject.name}`);
      const plan = { ...(await loadPlan(subject, stage)), rate: undefined };
      const single = await runLoad(toolkit, { ...plan, connections: 1, requestsMax: 3, seconds: 10 });
      const [failure] = failureOf(subject, stage.name, single);
      if (failure) return failure;
      const seconds = options.firstWarmUpSeconds / heaviest.length;
      if (stage.rampMs === undefined) await warmUp(toolkit, subject, { ...plan, seconds });
      else await runLoad(toolkit, { ...plan, requestsMax: warmUpPacedStreamsMax, seconds });
    }
    return undefined;
  } catch (err) {
    const what = err instanceof Error ? err.message : String(err);
    return { subject: subject.name, what, isForeign: subject.isForeign ?? false };
  }
}

/** Calls a system until its CPU per call has settled, for `seconds` at most; one without a readable CPU, for one slice. */
async function warmUp(toolkit: Toolkit, { group }: Subject, plan: LoadPlan): Promise<void> {
  const endsAtMs = performance.now() + plan.seconds * 1000;
  const cpuUs: number[] = [];
  for (let leftMs = plan.seconds * 1000; leftMs > 0; leftMs = endsAtMs - performance.now()) {
    const before = group && readUsage(group);
    const { completed } = await runLoad(toolkit, { ...plan, requestsMax: warmUpSliceCalls, seconds: leftMs / 1000 });
    const after = group && readUsage(group);
    if (before === undefined || after === undefined || completed === 0) return;
    cpuUs.push(spentNs(before.productCpuNs, after.productCpuNs) / 1000 / completed);
    if (hasSettled(cpuUs)) return;
  }
}

async function measureCell(
  { toolkit, options }: MeasureContext,
  { subject, stage, round }: { subject: Subject; stage: Stage; round: number },
): Promise<Cell> {
  const plan = await loadPlan(subject, stage);
  if (stage.rampMs === undefined) await runLoad(toolkit, { ...plan, seconds: options.warmUpSeconds });
  const read = () => (subject.group ? readUsage(subject.group) : undefined);
  const before = read();
  const load = await runLoad(toolkit, { ...plan, seconds: options.cellSeconds, seed: options.seed + round });
  const after = read();
  const units = stage.unit === "call" ? load.completed : load.chunks;
  const each = (spent: number | undefined) => (spent === undefined || units === 0 ? undefined : spent / 1000 / units);
  return {
    subject: subject.name,
    stage: stage.name,
    round,
    load,
    cpuUs: each(before && after && spentNs(before.productCpuNs, after.productCpuNs)),
    databaseCpuUs: each(before && after && spentNs(before.databaseCpuNs, after.databaseCpuNs)),
    cpuUsByName: Object.fromEntries(
      [...(before && after ? spentByName(before, after) : [])].map(([name, spent]) => [name, each(spent) ?? 0]),
    ),
  };
}

async function loadPlan(subject: Subject, stage: Stage): Promise<Omit<LoadPlan, "seconds">> {
  const { call, connections, rate, rampMs } = stage;
  return { port: subject.port, request: await subject.prepare(call), call, connections, rate, rampMs };
}
