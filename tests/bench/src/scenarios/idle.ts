import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { findFreePort } from "@gatehouse/ports";
import { startProcess } from "../child-process.ts";
import { openLog } from "../log-file.ts";
import { repositoryFolder } from "../paths.ts";
import { waitUntilAnswers } from "../ports.ts";
import { memoryBytesOf, readUsage, spentNs, type Usage } from "../process-usage.ts";
import { formatNumber, formatSummary, type Goal, type Table } from "../report.ts";
import { type Bench, nothingMeasured, type Scenario, type ScenarioOutcome } from "../scenario.ts";
import { summarize } from "../statistics.ts";
import { productEnvironment } from "../systems/gatehouse.ts";

const startMsMax = 2_500;
const cpuPercentMax = 0.3;
const memoryMibMax = 150;
/** Time after the start until the product is at rest: compilation and first writes have ended, and `releaseMemoryAtRest` has run. */
const settleMs = 45_000;
/** Length of the measurement: a period of the jobs that run once a minute. */
const quietMs = 60_000;
/** Both in a quick run. */
const quickMs = 1_000;
const readyMsMax = 90_000;
const stopMs = 20_000;

/** One start of the product by `npm start`, and its idle state. */
interface Start {
  readonly startMs: number;
  /** Share of one core, in percent, and resident memory; undefined where they cannot be read. */
  readonly cpuPercent: number | undefined;
  readonly databaseCpuPercent: number | undefined;
  readonly memoryMib?: number | undefined;
  /** Resident memory of npm, which waits for the product, MiB. */
  readonly waitingMib?: number | undefined;
}

/** `npm start` on an existing data folder, and the product's use of resources without calls. */
export const idle: Scenario = {
  name: "idle",
  summary: "`npm start` on a filled data folder until it is ready, then CPU and memory while no call comes",
  async run(bench) {
    if (!bench.gatehouse) return nothingMeasured;
    const home = mkdtempSync(join(tmpdir(), "gatehouse-bench-idle-"));
    try {
      // The first start creates the database, and a missing build.
      await start(bench, home, { settleMs: 0, quietMs: 0 });
      const rest = bench.options.quick ? { settleMs: quickMs, quietMs: quickMs } : { settleMs, quietMs };
      const starts: Start[] = [];
      for (let round = 0; round < bench.options.rounds; round++) {
        bench.progress(`idle: start ${round + 1} of ${bench.options.rounds}`);
        starts.push(await start(bench, home, rest));
      }
      return toOutcome(starts);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
};

interface Rest {
  readonly settleMs: number;
  /** 0: nothing is measured. */
  readonly quietMs: number;
}

async function start(bench: Bench, home: string, rest: Rest): Promise<Start> {
  const [port, operationsPort] = [await findFreePort(), await findFreePort()];
  const adminKey = `svc_admin_${randomBytes(20).toString("hex")}`;
  const log = openLog(join(bench.logFolder, "idle.log"));
  const begun = performance.now();
  const { pid, child, stop } = await startProcess(["npm", "start"], {
    cwd: repositoryFolder,
    stdio: ["ignore", log, log],
    env: productEnvironment({ port, operationsPort, home, adminKey, databaseUrl: undefined }),
  });
  try {
    await waitUntilAnswers([`http://127.0.0.1:${operationsPort}/readyz`], { child, timeoutMs: readyMsMax });
    const startMs = performance.now() - begun;
    const group = { rootPid: pid, home };
    await delay(rest.settleMs);
    const before = readUsage(group);
    const since = performance.now();
    await delay(rest.quietMs);
    const after = readUsage(group);
    const elapsedNs = (performance.now() - since) * 1e6;
    const percent = (kind: "productCpuNs" | "databaseCpuNs") =>
      before && after && rest.quietMs > 0 ? (spentNs(before[kind], after[kind]) / elapsedNs) * 100 : undefined;
    return {
      startMs,
      cpuPercent: percent("productCpuNs"),
      databaseCpuPercent: percent("databaseCpuNs"),
      ...(after && memoryOf(after)),
    };
  } finally {
    await stop(stopMs);
  }
}

function memoryOf(usage: Usage): Pick<Start, "memoryMib" | "waitingMib"> {
  const [all, product] = [memoryBytesOf(usage), memoryBytesOf(usage, "standalone")];
  if (all === undefined || product === undefined) return { memoryMib: undefined, waitingMib: undefined };
  return { memoryMib: product / 2 ** 20, waitingMib: (all - product) / 2 ** 20 };
}

function toOutcome(starts: readonly Start[]): ScenarioOutcome {
  const summary = (figure: (start: Start) => number | undefined) =>
    summarize(starts.map(figure).filter((value) => value !== undefined));
  const goal = (
    name: string,
    found: ReturnType<typeof summary>,
    { max, unit }: { max: number; unit: string },
  ): Goal => ({
    name,
    limit: `≤ ${formatNumber(max)} ${unit}`,
    measured: `${formatSummary(found)} ${unit}`,
    reached: found && found.median <= max,
  });
  const both = ({ cpuPercent, databaseCpuPercent }: Start) =>
    cpuPercent === undefined ? undefined : cpuPercent + (databaseCpuPercent ?? 0);
  const memory = summary(({ memoryMib }) => memoryMib);
  const table: Table = {
    title: "idle: `npm start` on a filled data folder, then no call",
    columns: ["figure", "measured"],
    rows: [
      ["time to ready, ms", formatSummary(summary(({ startMs }) => startMs))],
      ["CPU of the product, % of a core", formatSummary(summary(({ cpuPercent }) => cpuPercent))],
      ["CPU of Postgres, % of a core", formatSummary(summary(({ databaseCpuPercent }) => databaseCpuPercent))],
      ["resident memory of the product, MiB", formatSummary(memory)],
      ["of npm, which waits for it, MiB", formatSummary(summary(({ waitingMib }) => waitingMib))],
    ],
  };
  return {
    tables: [table],
    goals: [
      goal(
        "a second `npm start` until it is ready",
        summary(({ startMs }) => startMs),
        { max: startMsMax, unit: "ms" },
      ),
      goal("CPU without calls, database included", summary(both), { max: cpuPercentMax, unit: "%" }),
      goal("resident memory without calls", memory, { max: memoryMibMax, unit: "MiB" }),
    ],
    failures: [],
    raw: starts,
  };
}
