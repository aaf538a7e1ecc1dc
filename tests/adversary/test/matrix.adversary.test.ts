import { mkdirSync, writeFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { bodySizeBytesMax } from "../src/bars.ts";
import { everyShapeOnce } from "../src/choose-cases.ts";
import { MatrixRunner, type Report } from "../src/matrix.ts";
import { openSite } from "../src/places/index.ts";
import { formatReports } from "../src/table.ts";
import { type AdversaryWorld, openAdversaryWorld } from "../src/world.ts";

interface Open {
  readonly world: AdversaryWorld;
  readonly runner: MatrixRunner;
}

const options = { repeats: 1, repeatsWhenSuspicious: 3, seriesAttempts: 3, bytesMax: bodySizeBytesMax };
const reports: Report[] = [];
let open: Open | undefined;
let slownessMax = 1;

async function opened(): Promise<Open> {
  if (open !== undefined) return open;
  const world = await openAdversaryWorld();
  const runner = new MatrixRunner({ site: await openSite(world), meter: world.meter, options });
  open = { world, runner };
  return open;
}

async function close(): Promise<void> {
  slownessMax = Math.max(slownessMax, open?.runner.slownessMax ?? 1);
  await open?.world.stop();
  open = undefined;
}

afterAll(async () => {
  await close();
  mkdirSync(".results/adversary", { recursive: true });
  const machine = `The bar for stalls was stretched up to ${slownessMax.toFixed(2)} times for the speed of this machine.`;
  console.log(machine);
  writeFileSync(".results/adversary/quick.txt", `${machine}\n${formatReports(reports)}\n`);
  writeFileSync(".results/adversary/quick.json", JSON.stringify(reports));
});

test("there are at least 40 shapes", () => {
  expect(new Set(everyShapeOnce().map(({ shape }) => shape.name)).size).toBeGreaterThanOrEqual(40);
});

test.each(everyShapeOnce().map((entry) => [entry.place.name, entry.shape.name, entry] as const))(
  "%s · %s",
  async (_place, _shape, entry) => {
    const { runner } = await opened();
    // Replaces a product that has ended or hangs.
    const report = await runner.run(entry).catch(async (err: unknown) => {
      await close();
      throw err;
    });
    reports.push(report);
    expect(report.breaches, JSON.stringify(report.samples)).toEqual([]);
  },
);
