import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { startPostgres } from "@gatehouse/postgres";
import { bodySizeBytesMax } from "./bars.ts";
import { everyCase, everyShapeOnce, spread } from "./choose-cases.ts";
import { type Case, type MatrixOptions, MatrixRunner, type Report } from "./matrix.ts";
import { openSite } from "./places/index.ts";
import { formatReports } from "./table.ts";
import { openAdversaryWorld } from "./world.ts";

const { values } = parseArgs({
  // pnpm hands a `--` on as it is.
  args: process.argv.slice(2).filter((word) => word !== "--"),
  options: {
    place: { type: "string", default: "" },
    shape: { type: "string", default: "" },
    mebibytes: { type: "string", default: "8" },
    repeats: { type: "string", default: "3" },
    quick: { type: "boolean", default: false },
    /** No case begins after so many minutes. */
    minutes: { type: "string", default: "Infinity" },
    /** Goes on with the cases that the kept report lacks. */
    resume: { type: "boolean", default: false },
  },
});

const resultsFolder = join(process.cwd(), ".results", "adversary");
const rawFile = join(resultsFolder, "matrix.json");
const msPerMinute = 60_000;

async function runMatrix(): Promise<readonly Report[]> {
  const wanted = (values.quick ? everyShapeOnce() : spread(everyCase())).filter(
    ({ place, shape }) => place.name.includes(values.place) && shape.name.includes(values.shape),
  );
  const reports = [...readKept()];
  const known = new Set(reports.map(({ place, shape }) => nameOf(place, shape)));
  const chosen = wanted.filter(({ place, shape }) => !known.has(nameOf(place.name, shape.name)));
  const endsAt = performance.now() + Number(values.minutes) * msPerMinute;
  const options = {
    repeats: Number(values.repeats),
    repeatsWhenSuspicious: 5,
    bytesMax: Number(values.mebibytes) * (bodySizeBytesMax / 4),
  };
  let open = await openRunner(options);
  for (const [at, next] of chosen.entries()) {
    if (performance.now() >= endsAt) break;
    const label = `${known.size + at + 1}/${known.size + chosen.length} ${nameOf(next.place.name, next.shape.name)}`;
    try {
      const report = await open.runner.run(next);
      reports.push(report);
      console.log(`${label}${report.breaches.length === 0 ? "" : `: ${report.breaches.join("; ")}`}`);
    } catch (err) {
      reports.push(endedReport(next, String(err)));
      console.log(`${label}: ${String(err)}`);
      await open.stop();
      open = await openRunner(options);
    }
    save(reports);
  }
  await open.stop();
  return reports;
}

function nameOf(place: string, shape: string): string {
  return `${place} · ${shape}`;
}

function readKept(): readonly Report[] {
  if (!values.resume || !existsSync(rawFile)) return [];
  return JSON.parse(readFileSync(rawFile, "utf8")) as readonly Report[];
}

async function openRunner(options: MatrixOptions) {
  const world = await openAdversaryWorld({}, { scalesBar: false });
  const site = await openSite(world);
  return { runner: new MatrixRunner({ site, meter: world.meter, options }), stop: async () => await world.stop() };
}

function endedReport({ place, shape }: Case, breach: string): Report {
  const sample = { size: 0, status: 0, cpuMs: 0, stallMs: 0, residentGrowthBytes: 0 };
  return {
    place: place.name,
    shape: shape.name,
    samples: [sample],
    cpuExponent: undefined,
    memoryExponent: undefined,
    breaches: [breach],
  };
}

function save(reports: readonly Report[]): void {
  mkdirSync(resultsFolder, { recursive: true });
  writeFileSync(rawFile, JSON.stringify(reports, undefined, 1));
  writeFileSync(join(resultsFolder, "matrix.txt"), `${formatReports(reports)}\n`);
}

const folder = mkdtempSync(join(tmpdir(), "gatehouse-adversary-postgres-"));
// As root the server runs as another user, who must be able to pass.
await chmod(folder, 0o711);
const server = await startPostgres({
  dataDir: join(folder, "data"),
  logFile: join(folder, "postgres.log"),
  throwaway: true,
});
process.env["TEST_DATABASE_URL"] = server.url;
try {
  const reports = await runMatrix();
  console.log(`\n${formatReports(reports)}\n\nKept in ${resultsFolder}`);
  process.exitCode = reports.some(({ breaches }) => breaches.length > 0) ? 1 : 0;
} finally {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}
