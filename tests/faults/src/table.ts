import { isKept, memorySlope, type MemoryReading } from "./proof.ts";
import type { FaultOutcome, RunOutcome } from "./services.ts";

const widths = {
  fault: 30,
  replicas: 3,
  calls: 7,
  failed: 7,
  held: 6,
  streams: 14,
  slow: 6,
  slowest: 9,
  memory: 9,
  bar: 8,
} as const;

const minuteMs = 60_000;

/** The head of the table: one line. */
export const tableHead = [
  "fault".padEnd(widths.fault),
  "of".padStart(widths.replicas),
  "calls".padStart(widths.calls),
  "failed".padStart(widths.failed),
  "held".padStart(widths.held),
  "cut (told)".padStart(widths.streams),
  "> 1 s".padStart(widths.slow),
  "slowest".padStart(widths.slowest),
  "memory".padStart(widths.memory),
  "bar".padStart(widths.bar),
  " failures",
].join("");

/** One line of the table. */
export function toLine({ fault, replicas, tally, memoryMb, isReached, error }: FaultOutcome): string {
  const counts = [...tally.failures].map(([name, count]) => `${name} × ${count}`);
  const failures = [...counts, ...(error === undefined ? [] : [`not repaired: ${error}`])].join(", ");
  const cut = tally.brokenStreams === 0 ? "0" : `${tally.brokenStreams} (${tally.toldStreams})`;
  return [
    fault.padEnd(widths.fault),
    String(replicas).padStart(widths.replicas),
    String(tally.calls).padStart(widths.calls),
    String(tally.failed).padStart(widths.failed),
    String(tally.inFlightAtFault).padStart(widths.held),
    `${cut} of ${tally.streams}`.padStart(widths.streams),
    String(tally.slow).padStart(widths.slow),
    `${Math.round(tally.slowestMs)} ms`.padStart(widths.slowest),
    `${memoryMb} MB`.padStart(widths.memory),
    (isReached === undefined ? "–" : isReached ? "yes" : "MISSED").padStart(widths.bar),
    ` ${failures}`,
  ].join("");
}

/** Log text of one fault: each failed call, then the processes' output. */
export function toLog({ fault, replicas, tally, output }: FaultOutcome): string {
  const calls = tally.failedCalls.map(({ outcome, sentAt, tookMs, reply }) => {
    return `${sentAt.toISOString()} ${outcome} after ${Math.round(tookMs)} ms ${reply.trim()}`;
  });
  return [`== ${fault}, ${replicas} of each`, ...calls, output].join("\n");
}

/** Accounting of one run, as lines below its table. */
export function toProof({ replicas, proof, memory }: RunOutcome): string {
  const { acknowledged, lost, unaudited, auditedTwice, isChainWhole } = proof;
  const dollars = (value: number) => `$${value.toFixed(6)}`;
  return [
    `With ${replicas} of each: ${isKept(proof) ? "kept" : "NOT KEPT"}`,
    `  acknowledged changes ${acknowledged}: lost ${lost}, not in the audit log ${unaudited}, twice in it ${auditedTwice}`,
    `  audit chain ${isChainWhole ? "whole" : "BROKEN"}`,
    `  budget ${dollars(proof.budget)}: answered ${dollars(proof.answeredCost)}, billed ${dollars(proof.billed)}`,
    `  memory of all processes: ${toMemory(memory)}`,
  ].join("\n");
}

/** Slope with its standard error, and the readings: MB after each fault, at minutes of the run. */
function toMemory(readings: readonly MemoryReading[]): string {
  const slope = memorySlope(readings);
  const [first] = readings;
  const raw = readings.map(({ atMs, megabytes }) => {
    return `${megabytes}@${((atMs - (first?.atMs ?? 0)) / minuteMs).toFixed(1)}`;
  });
  const figure =
    slope === undefined ? "too few readings" : `${slope.perMinute.toFixed(2)} ± ${slope.error.toFixed(2)} MB a minute`;
  return [figure, ...(raw.length === 0 ? [] : [`    MB@minute: ${raw.join(" ")}`])].join("\n");
}
