import { streamCall } from "../call.ts";
import { measure, type Measurement, type Stage } from "../measure.ts";
import { formatNumber, formatRatio, formatSummary, type Goal, type Table } from "../report.ts";
import type { Scenario } from "../scenario.ts";
import {
  byRound,
  callTable,
  chunksPerSecond,
  cpuUs,
  differenceTo,
  type Figure,
  firstTokenMs,
  ratioTo,
} from "../stage-table.ts";
import { summarize } from "../statistics.ts";

const paceMs = 20;
const chunks = 25;
const stallMs = 10 * paceMs;
const burst: Stage = {
  name: "chat-stream: 50 chunks in one burst, 16 connections",
  call: streamCall(50, 0),
  connections: 16,
  unit: "call",
};
const paced: readonly Stage[] = [1, 64, 256].map((connections) => ({
  name: `chat-stream: ${connections} ${connections === 1 ? "stream" : "streams"}, a chunk every ${paceMs} ms`,
  call: streamCall(chunks, paceMs),
  connections,
  // Starts are spread over a stream's whole length, so that streams come and go evenly and not as a herd.
  rampMs: chunks * paceMs,
  unit: "chunk",
  watchesMemory: true,
}));

/** Streamed chat calls: all chunks at once, and at the pace of a model. */
export const chatStream: Scenario = {
  name: "chat-stream",
  summary: "streamed chat calls: 50 chunks in one burst, and 1, 64 and 256 streams with a chunk every 20 ms",
  async run(bench) {
    const measurement = await measure(bench, { subjects: bench.subjects, stages: [burst, ...paced] });
    return {
      tables: [callTable(measurement, burst), ...paced.map((stage) => pacedTable(measurement, stage))],
      goals: stallGoals(measurement),
      failures: measurement.failures,
      raw: measurement.cells,
    };
  },
};

const longestGapMs: Figure = ({ load }) => load.gapUs.max / 1000;

/** Growth of resident memory under the load, shared out over the streams: an upper bound, since it holds garbage too. */
const memoryKibPerStream =
  (streams: number): Figure =>
  ({ memoryBefore, memoryPeak }) =>
    memoryBefore === undefined || memoryPeak === undefined ? undefined : (memoryPeak - memoryBefore) / 1024 / streams;

function pacedTable(measurement: Measurement, stage: Stage): Table {
  const rows = measurement.subjects.map(({ name, group }) => {
    const at = { subject: name, stage: stage.name };
    const values = (figure: Figure) => byRound(measurement, at, figure).filter((value) => value !== undefined);
    const middle = (figure: Figure) => formatNumber(summarize(values(figure))?.median);
    const added = (figure: Figure) =>
      group ? formatSummary(differenceTo(measurement, { ...at, yardstick: "direct", figure })) : "";
    return [
      name,
      middle(chunksPerSecond),
      formatSummary(summarize(values(cpuUs))),
      name === "bare proxy" || !group
        ? ""
        : formatRatio(ratioTo(measurement, { ...at, yardstick: "bare proxy", figure: cpuUs })),
      middle(firstTokenMs("p50")),
      middle(firstTokenMs("p99")),
      added(firstTokenMs("p99")),
      formatNumber(Math.max(...values(longestGapMs))),
      group ? middle(memoryKibPerStream(stage.connections)) : "",
    ];
  });
  const columns = [
    "system",
    "chunks/s",
    "CPU µs/chunk",
    "CPU × bare",
    "first token p50 ms",
    "p99 ms",
    "added p99",
    "longest gap ms",
    "KiB/stream",
  ];
  const samples = Math.min(
    ...measurement.cells.filter((cell) => cell.stage === stage.name).map(({ load }) => load.firstUs.count),
  );
  return { title: stage.name, columns, rows, notes: [`first token: at least ${samples} streams a round`] };
}

function stallGoals(measurement: Measurement): Goal[] {
  return paced.map(({ name: stage }) => {
    const longest = (subject: string) =>
      Math.max(...byRound(measurement, { subject, stage }, longestGapMs).filter((value) => value !== undefined));
    const [own, direct] = [longest("gatehouse"), longest("direct")];
    return {
      name: `longest silence inside a stream (${stage.replace("chat-stream: ", "")})`,
      limit: `< ${stallMs} ms`,
      measured: `${formatNumber(own)} ms; direct ${formatNumber(direct)} ms`,
      reached: Number.isFinite(own) ? own < stallMs : undefined,
      unsure: direct >= stallMs,
    };
  });
}
