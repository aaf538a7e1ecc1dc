import { streamCall } from "../call.ts";
import { addedTimeGoal, cpuGoal } from "../goals.ts";
import { runLoad } from "../load.ts";
import { failureOf, measure, type Failure, type Measurement, type Stage } from "../measure.ts";
import { watchMemory, type MemoryGrowth } from "../memory.ts";
import { formatNumber, formatSummary, type Goal, type Table } from "../report.ts";
import type { Bench, Scenario } from "../scenario.ts";
import { byRound, callTable, chunksPerSecond, cpuUs, createCells, type Figure, firstTokenMs } from "../stage-table.ts";
import { summarize } from "../statistics.ts";

const paceMs = 20;
const chunks = 25;
const stallMs = 10 * paceMs;
const burstRatioMax = 2;
const chunkRatioMax = 1.2;
const addedFirstTokenMsMax = 15;
const burst: Stage = {
  name: "chat-stream: 50 chunks in one burst, 16 connections",
  call: streamCall(50, 0),
  connections: 16,
  unit: "call",
};
const pacedStages: readonly Stage[] = [1, 64, 256, 512].map((connections) => ({
  name: `chat-stream: ${connections} ${connections === 1 ? "stream" : "streams"}, a chunk every ${paceMs} ms`,
  call: streamCall(chunks, paceMs),
  connections,
  // Starts are spread over a stream's length, so that starts and ends are even.
  rampMs: chunks * paceMs,
  unit: "chunk",
}));

/** Streamed chat calls: all chunks at once, and at the pace of a model. */
export const chatStream: Scenario = {
  name: "chat-stream",
  summary: "streamed chat calls: 50 chunks in one burst, and 1, 64, 256 and 512 streams with a chunk every 20 ms",
  async run(bench) {
    const memory = await measureMemory(bench);
    const paced = bench.options.quick
      ? pacedStages.filter(({ connections }) => connections !== 64 && connections !== 512)
      : pacedStages;
    const measurement = await measure(bench, { subjects: bench.subjects, stages: [burst, ...paced] });
    return {
      tables: [
        callTable(measurement, burst),
        ...paced.map((stage) => pacedTable(measurement, stage)),
        memoryTable(memory),
      ],
      goals: [...costGoals(measurement, paced), ...stallGoals(measurement, paced)],
      failures: [...measurement.failures, ...memory.flatMap(({ failures }) => failures)],
      raw: { cells: measurement.cells, memory },
    };
  },
};

const longestGapMs: Figure = ({ load }) => load.gapUs.max / 1000;

function pacedTable(measurement: Measurement, stage: Stage): Table {
  const rows = measurement.subjects.map(({ name, group }) => {
    const { values, middle, added, cpuTimesBare } = createCells(measurement, stage, { name, group });
    return [
      name,
      middle(chunksPerSecond),
      formatSummary(summarize(values(cpuUs))),
      cpuTimesBare,
      middle(firstTokenMs("p50")),
      middle(firstTokenMs("p99")),
      added(firstTokenMs("p99")),
      formatNumber(Math.max(...values(longestGapMs))),
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
  ];
  const samples = Math.min(
    ...measurement.cells.filter((cell) => cell.stage === stage.name).map(({ load }) => load.firstUs.count),
  );
  return { title: stage.name, columns, rows, notes: [`first token: at least ${samples} streams a round`] };
}

/** Goals of the burst, and of the stage with most streams. */
function costGoals(measurement: Measurement, paced: readonly Stage[]): Goal[] {
  const at = { subject: "gatehouse", baseline: "bare proxy" };
  const full = paced.find(({ connections }) => connections === 256) ?? burst;
  return [
    cpuGoal(
      measurement,
      { ...at, stage: burst },
      { per: "stream of 50 chunks against the bare proxy", atMost: burstRatioMax, withDatabase: true },
    ),
    cpuGoal(
      measurement,
      { ...at, stage: full },
      { per: `chunk of ${full.connections} streams against the bare proxy`, atMost: chunkRatioMax, withDatabase: true },
    ),
    addedTimeGoal(
      measurement,
      `p99 added to the first token at ${full.connections} streams`,
      { stage: full, subject: "gatehouse", baseline: "direct", figure: firstTokenMs("p99") },
      addedFirstTokenMsMax,
    ),
  ];
}

function stallGoals(measurement: Measurement, paced: readonly Stage[]): Goal[] {
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

interface StreamMemory {
  readonly subject: string;
  readonly streams: number;
  readonly growth: MemoryGrowth | undefined;
  readonly failures: readonly Failure[];
}

/**
 * Opens many slow streams before any other streaming load: memory that a process once had is kept, so later growth would be
 * underestimated. Slow, so that the figure contains little garbage.
 */
async function measureMemory({ toolkit, options, subjects, progress }: Bench): Promise<StreamMemory[]> {
  const found: StreamMemory[] = [];
  const streams = options.quick ? 256 : 1000;
  const call = streamCall(4, options.quick ? 250 : 500);
  for (const subject of subjects) {
    if (!subject.group) continue;
    progress(`memory of ${streams} open streams: ${subject.name}`);
    const load = { port: subject.port, call, connections: streams, requestsMax: streams, rampMs: 500, seconds: 2 };
    const failures: Failure[] = [];
    const growth = await watchMemory(subject.group, async () => {
      const report = await runLoad(toolkit, { ...load, request: await subject.prepare(call) });
      failures.push(...failureOf(subject, "memory of open streams", report));
    });
    found.push({ subject: subject.name, streams, growth, failures });
  }
  return found;
}

function memoryTable(found: readonly StreamMemory[]): Table {
  const rows = found.map(({ subject, streams, growth }) => {
    return [
      subject,
      formatNumber(growth && growth.beforeBytes / 2 ** 20),
      formatNumber(growth && growth.peakBytes / 2 ** 20),
      formatNumber(growth && (growth.peakBytes - growth.beforeBytes) / 1024 / streams),
    ];
  });
  const columns = ["system", "before MiB", "peak MiB", "KiB/stream"];
  const notes = ["growth of resident memory, measured once: an upper bound, which holds compiled code and garbage too"];
  return { title: `chat-stream: memory of ${found[0]?.streams ?? 0} open streams`, columns, rows, notes };
}
