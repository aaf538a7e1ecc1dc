import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Call } from "./call.ts";
import { runProcess } from "./child-process.ts";
import type { Toolkit } from "./native.ts";

/** A load: request, target, rate and duration. */
export interface LoadPlan {
  readonly port: number;
  readonly request: Buffer;
  /** Size of each request, if `request` contains several, which are sent in turn. */
  readonly requestBytes?: number | undefined;
  readonly call: Call;
  readonly connections: number;
  readonly seconds: number;
  /**
   * Calls per second, independent of earlier replies (open loop); absent: each connection sends after its last reply (closed
   * loop).
   */
  readonly rate?: number | undefined;
  /** Time over which the connections' first calls are spread. */
  readonly rampMs?: number | undefined;
  readonly requestsMax?: number | undefined;
  /** Markers after which the client closes the connection. */
  readonly leaveAfter?: number | undefined;
  readonly seed?: number | undefined;
  /** Longest time without progress before a call counts as failed. */
  readonly timeoutMs?: number | undefined;
}

/** Quantiles of measured times, in microseconds. */
export interface Times {
  readonly count: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly p999: number;
  readonly max: number;
}

/** Report of a load generator. */
export interface LoadReport {
  readonly generator: "c" | "node";
  readonly seconds: number;
  readonly issued: number;
  readonly completed: number;
  readonly leftEarly: number;
  /** Markers in all replies. */
  readonly chunks: number;
  readonly errors: {
    readonly status: number;
    readonly content: number;
    readonly connection: number;
    readonly timeout: number;
  };
  /** The first failed call, as text. */
  readonly example: string;
  /** From a call's scheduled time to the end of its reply. */
  readonly latencyUs: Times;
  /** From a call's scheduled time to its first marker. */
  readonly firstUs: Times;
  /** Between reads with markers of one reply. */
  readonly gapUs: Times;
}

/** Runs a load to its end, in a separate process.  @throws Error when nothing listens there, or the generator fails. */
export async function runLoad(toolkit: Toolkit, plan: LoadPlan): Promise<LoadReport> {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  const request = join(folder, "request");
  const timeoutMs = plan.timeoutMs ?? 10_000;
  writeFileSync(request, plan.request);
  try {
    const command = [...toolkit.load, ...toArguments({ ...plan, timeoutMs }, request)];
    return JSON.parse(await runProcess(command, Math.ceil(plan.seconds * 1000) + 3 * timeoutMs)) as LoadReport;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Number of failed calls, for any reason. */
export function errorCount({ errors }: LoadReport): number {
  return errors.status + errors.content + errors.connection + errors.timeout;
}

function toArguments(plan: LoadPlan, request: string): string[] {
  const { call } = plan;
  const values: Record<string, string | number | undefined> = {
    port: plan.port,
    request,
    requestBytes: plan.requestBytes,
    connections: plan.connections,
    seconds: plan.seconds,
    rate: plan.rate,
    rampMs: plan.rampMs,
    requests: plan.requestsMax,
    leaveAfter: plan.leaveAfter,
    seed: plan.seed,
    timeoutMs: plan.timeoutMs,
    marker: call.marker,
    markers: call.markers,
    end: call.end,
  };
  return Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`]));
}
