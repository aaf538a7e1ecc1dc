import type { Report, Sample } from "./matrix.ts";
import { mebibytes } from "./measure.ts";

const worstShown = 25;

/** Report for people: tried cases, exceeded bars, and the worst of the others. */
export function formatReports(reports: readonly Report[]): string {
  const broken = reports.filter(({ breaches }) => breaches.length > 0);
  const sound = reports.filter(({ breaches }) => breaches.length === 0).toSorted((a, b) => weightOf(b) - weightOf(a));
  const places = new Set(reports.map(({ place }) => place)).size;
  const shapes = new Set(reports.map(({ shape }) => shape)).size;
  return [
    `${reports.length} cases: ${shapes} shapes, ${places} places; ${broken.length} break a bar.`,
    ...(broken.length === 0
      ? []
      : [
          "",
          "Broken:",
          header,
          ...broken.flatMap((report) => [rowOf(report), ...report.breaches.map((breach) => `    ${breach}`)]),
        ]),
    "",
    `The ${Math.min(worstShown, sound.length)} costliest others:`,
    header,
    ...sound.slice(0, worstShown).map(rowOf),
  ].join("\n");
}

const widths = [46, 32, 9, 6, 9, 9, 9, 9, 6, 6] as const;
const header = cells(["place", "shape", "bytes", "status", "CPU ms", "GC ms", "stall ms", "memory", "CPU^", "mem^"]);

function rowOf(report: Report): string {
  const largest = largestOf(report);
  const exponent = (value: number | undefined) => (value === undefined ? "–" : value.toFixed(2));
  return cells([
    report.place,
    report.shape,
    String(largest.size),
    String(largest.status),
    largest.cpuMs.toFixed(0),
    largest.collectionMs.toFixed(0),
    largest.stallMs.toFixed(0),
    mebibytes(largest.residentGrowthBytes),
    exponent(report.cpuExponent),
    exponent(report.memoryExponent),
  ]);
}

function cells(texts: readonly string[]): string {
  return texts.map((text, at) => (at < 2 ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0))).join(" ");
}

function largestOf({ samples }: Report): Sample {
  const largest = samples.at(-1);
  if (largest === undefined) throw new Error("A report has samples.");
  return largest;
}

function weightOf(report: Report): number {
  const { stallMs, cpuMs } = largestOf(report);
  return stallMs * 10 + cpuMs;
}
