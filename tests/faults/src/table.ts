import type { FaultOutcome } from "./services.ts";

const widths = {
  fault: 30,
  replicas: 3,
  calls: 7,
  failed: 7,
  streams: 14,
  slow: 6,
  slowest: 9,
  memory: 9,
  bar: 8,
} as const;

/** The head of the table: one line. */
export const tableHead = [
  "fault".padEnd(widths.fault),
  "of".padStart(widths.replicas),
  "calls".padStart(widths.calls),
  "failed".padStart(widths.failed),
  "cut (told)".padStart(widths.streams),
  "> 1 s".padStart(widths.slow),
  "slowest".padStart(widths.slowest),
  "memory".padStart(widths.memory),
  "bar".padStart(widths.bar),
  " failures",
].join("");

/** One line of the table. */
export function toLine({ fault, replicas, tally, memoryMb, isReached }: FaultOutcome): string {
  const failures = [...tally.failures].map(([name, count]) => `${name} × ${count}`).join(", ");
  const cut = tally.brokenStreams === 0 ? "0" : `${tally.brokenStreams} (${tally.toldStreams})`;
  return [
    fault.padEnd(widths.fault),
    String(replicas).padStart(widths.replicas),
    String(tally.calls).padStart(widths.calls),
    String(tally.failed).padStart(widths.failed),
    `${cut} of ${tally.streams}`.padStart(widths.streams),
    String(tally.slow).padStart(widths.slow),
    `${Math.round(tally.slowestMs)} ms`.padStart(widths.slowest),
    `${memoryMb} MB`.padStart(widths.memory),
    (isReached === undefined ? "–" : isReached ? "yes" : "MISSED").padStart(widths.bar),
    ` ${failures}`,
  ].join("");
}
