import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { startPostgres } from "@gatehouse/postgres";
import { bodySizeBytesMax } from "./bars.ts";
import { everyCase, everyShapeOnce, spread } from "./choose-cases.ts";
import { type Case, inGroups, type MatrixOptions, MatrixRunner, type Report } from "./matrix.ts";
import { openSite } from "./places/index.ts";
import { formatReports } from "./table.ts";
import { openAdversaryWorld } from "./world.ts";

const { values } = parseArgs({
  // pnpm passes `--` on.
  args: process.argv.slice(2).filter((word) => word !== "--"),
  options: {
    place: { type: "string", default: "" },
    shape: { type: "string", default: "" },
    mebibytes: { type: "string", default: "8" },
    repeats: { type: "string", default: "3" },
    quick: { type: "boolean", default: false },
    /** Minutes after which no further case starts. */
    minutes: { type: "string", default: "Infinity" },
    /** Continues with the cases that the saved report lacks. */
    resume: { type: "boolean", default: false },
    /** With `resume`: repeats cases with a breach in the saved report. */
    again: { type: "boolean", default: false },
    /** Only one series per case: a breach counts only after a repetition (`again`). */
    survey: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) {
  console.log(`pnpm adversary:matrix [--place <words>] [--shape <words>] [--mebibytes 8] [--repeats 3] [--minutes <n>]
                      [--quick] [--survey] [--resume [--again]]

  --place, --shape  the cases whose names have these words
  --mebibytes       the largest size; --repeats: times each size is measured
  --minutes         no case begins after so many
  --quick           each shape once; --survey: one series for each case
  --resume          goes on with what the kept report lacks; --again: and tries its breaches again`);
  process.exit(0);
}

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
    repeatsWhenSuspicious: values.survey ? Number(values.repeats) : 5,
    seriesAttempts: values.survey ? 1 : 3,
    bytesMax: Number(values.mebibytes) * (bodySizeBytesMax / 4),
  };
  let open = await openRunner(options);
  const ofAll = known.size + chosen.length;
  for (const group of inGroups(chosen)) {
    if (performance.now() >= endsAt) break;
    try {
      reports.push(...(await open.runner.runTogether(group)));
    } catch (err) {
      reports.push(...group.map((each) => endedReport(each, String(err))));
      await open.stop();
      open = await openRunner(options);
    }
    for (const [at, { place, shape, breaches }] of reports.slice(-group.length).entries()) {
      const done = reports.length - group.length + at + 1;
      console.log(`${done}/${ofAll} ${nameOf(place, shape)}${breaches.map((each) => `; ${each}`).join("")}`);
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
  const kept = JSON.parse(readFileSync(rawFile, "utf8")) as readonly Report[];
  return values.again ? kept.filter(({ breaches }) => breaches.length === 0) : kept;
}

async function openRunner(options: MatrixOptions) {
  const world = await openAdversaryWorld({}, { scalesBar: false });
  const site = await openSite(world);
  return { runner: new MatrixRunner({ site, meter: world.meter, options }), stop: async () => await world.stop() };
}

function endedReport({ place, shape }: Case, breach: string): Report {
  const sample = { size: 0, status: 0, cpuMs: 0, collectionMs: 0, stallMs: 0, residentGrowthBytes: 0 };
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
// As root, the server runs as another user, who needs access.
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
