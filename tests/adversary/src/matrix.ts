import { attemptPausesMs, growthExponentMax } from "./bars.ts";
import { growthExponent, median, type Point } from "./growth.ts";
import { type Cost, describeBreach, type Meter } from "./measure.ts";
import { payloadOf, type Place, type Site } from "./places/index.ts";
import type { Shape } from "./shapes/index.ts";

/** One shape in one place. */
export interface Case {
  readonly place: Place;
  readonly shape: Shape;
}

export interface MatrixOptions {
  /** How often each size of a growth series is measured at first. */
  readonly repeats: number;
  /** And where its exponent is over the bar, before that counts. */
  readonly repeatsWhenSuspicious: number;
  /** The largest size, where the place takes as much. */
  readonly bytesMax: number;
}

export interface Sample {
  readonly size: number;
  readonly status: number;
  readonly cpuMs: number;
  readonly stallMs: number;
  readonly residentGrowthBytes: number;
}

/** Result of one case. */
export interface Report {
  readonly place: string;
  readonly shape: string;
  /** Medians by size; the largest alone where it was too cheap for a series. */
  readonly samples: readonly Sample[];
  readonly cpuExponent: number | undefined;
  readonly memoryExponent: number | undefined;
  /** The bars that the case breaks, in words; empty where it breaks none. */
  readonly breaches: readonly string[];
}

/** Sizes are n, 2n, 4n and 8n. */
const factors = [1, 2, 4, 8] as const;
/** CPU time at 8n below which no series is made: an exponent of noise says nothing. */
const cpuFloorMs = 60;
/** Single points of a series below this are left out of the fit. */
const cpuPointFloorMs = 6;
const memoryFloorBytes = 64 * 1024 * 1024;
const memoryPointFloorBytes = 8 * 1024 * 1024;
/** Series of which every one must break the bar: a collection of garbage in one of them is no growth. */
const seriesAttempts = 3;

/** Runs cases on one site, and knows what an exchange of next to nothing costs in each place. */
export class MatrixRunner {
  readonly #site: Site;
  readonly #meter: Meter;
  readonly #options: MatrixOptions;
  readonly #fixedCpuMs = new Map<string, number>();
  /** The most that the bar for stalls was stretched for one attempt, as a factor. */
  slownessMax = 1;

  constructor(parts: { readonly site: Site; readonly meter: Meter; readonly options: MatrixOptions }) {
    this.#site = parts.site;
    this.#meter = parts.meter;
    this.#options = parts.options;
  }

  /** @throws Error when the product ends or hangs: the site cannot be used any more. */
  async run({ place, shape }: Case): Promise<Report> {
    const sizeMax = Math.min(place.bytesMax, this.#options.bytesMax);
    const { sample: largest, breaches } = await this.#againstBars({ place, shape }, sizeMax);
    const series = await this.#seriesOf({ place, shape }, largest);
    const cpuExponent = growthExponent(
      pointsOf(series, ({ cpuMs }) => cpuMs),
      cpuPointFloorMs,
    );
    const memoryExponent =
      largest.residentGrowthBytes < memoryFloorBytes
        ? undefined
        : growthExponent(
            pointsOf(series, (sample) => sample.residentGrowthBytes),
            memoryPointFloorBytes,
          );
    return {
      place: place.name,
      shape: shape.name,
      samples: series,
      cpuExponent,
      memoryExponent,
      breaches: [...breaches, ...overBar("CPU time", cpuExponent), ...overBar("memory", memoryExponent)],
    };
  }

  /** The largest size, held to the bars; what looks bad is tried again. */
  async #againstBars(
    of: Case,
    size: number,
  ): Promise<{ readonly sample: Sample; readonly breaches: readonly string[] }> {
    const breaches: string[] = [];
    let worst: Sample | undefined;
    for (const [attempt, pauseMs] of attemptPausesMs.entries()) {
      const idle = await this.#meter.idle(attempt === 0 ? 0 : pauseMs);
      const { sample, cost } = await this.#measure(of, size);
      this.slownessMax = Math.max(this.slownessMax, idle.slowness);
      const breach = describeBreach(cost, idle);
      if (breach === undefined) return { sample, breaches: [] };
      if (worst === undefined || sample.stallMs < worst.stallMs) worst = sample;
      breaches.push(breach);
    }
    if (worst === undefined) throw new Error("Nothing was measured.");
    // All attempts broke a bar; the mildest of them is the one that counts.
    return { sample: worst, breaches: breaches.toSorted().slice(0, 1) };
  }

  async #seriesOf(of: Case, largest: Sample): Promise<readonly Sample[]> {
    if (largest.cpuMs < cpuFloorMs && largest.residentGrowthBytes < memoryFloorBytes) return [largest];
    const sizes = factors.map((factor) => Math.floor((largest.size * factor) / 8));
    let mildest: { readonly series: readonly Sample[]; readonly exponent: number } | undefined;
    for (let attempt = 0; attempt < seriesAttempts; attempt += 1) {
      const bySize = new Map<number, Sample[]>(sizes.map((size) => [size, []]));
      if (attempt === 0) bySize.get(largest.size)?.push(largest);
      for (const wanted of [this.#options.repeats, this.#options.repeatsWhenSuspicious]) {
        await this.#fill(of, bySize, wanted);
        const series = sizes.map((size) => medianOf(size, bySize.get(size) ?? []));
        const exponent = growthExponent(
          pointsOf(series, ({ cpuMs }) => cpuMs),
          cpuPointFloorMs,
        );
        if (exponent === undefined || exponent <= growthExponentMax) return series;
        if (mildest === undefined || exponent < mildest.exponent) mildest = { series, exponent };
      }
    }
    return mildest?.series ?? [largest];
  }

  async #fill(of: Case, bySize: ReadonlyMap<number, Sample[]>, wanted: number): Promise<void> {
    for (let round = 0; round < wanted; round += 1) {
      for (const [size, samples] of bySize) {
        if (samples.length < wanted) samples.push((await this.#measure(of, size)).sample);
      }
    }
  }

  async #measure({ place, shape }: Case, size: number): Promise<{ readonly sample: Sample; readonly cost: Cost }> {
    const fixedMs = await this.#fixedCost(place, shape);
    return await this.#measureOnce({ place, shape }, { size, fixedMs });
  }

  async #measureOnce(
    { place, shape }: Case,
    { size, fixedMs }: { readonly size: number; readonly fixedMs: number },
  ): Promise<{ readonly sample: Sample; readonly cost: Cost }> {
    const attack = await place.arm(this.#site, payloadOf(shape, size));
    let status = 0;
    const cost = await this.#meter.measure(async () => {
      status = await attack();
    });
    const { residentGrowthBytes } = cost;
    const stallMs = cost.stall.longestOwnMs;
    return { sample: { size, status, cpuMs: Math.max(0, cost.cpuMs - fixedMs), stallMs, residentGrowthBytes }, cost };
  }

  /** Would flatten the series if it stayed in: it is the same at every size. */
  async #fixedCost(place: Place, shape: Shape): Promise<number> {
    const known = this.#fixedCpuMs.get(place.name);
    if (known !== undefined) return known;
    const costs: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      costs.push((await this.#measureOnce({ place, shape }, { size: 16, fixedMs: 0 })).cost.cpuMs);
    }
    const fixedMs = Math.min(...costs);
    this.#fixedCpuMs.set(place.name, fixedMs);
    return fixedMs;
  }
}

function overBar(figure: string, exponent: number | undefined): readonly string[] {
  if (exponent === undefined || exponent <= growthExponentMax) return [];
  return [`${figure} grows with the power ${exponent.toFixed(2)} of the size, more than ${growthExponentMax}`];
}

function pointsOf(series: readonly Sample[], read: (sample: Sample) => number): readonly Point[] {
  return series.map((sample) => ({ size: sample.size, value: read(sample) }));
}

function medianOf(size: number, samples: readonly Sample[]): Sample {
  const figure = (read: (sample: Sample) => number) => median(samples.map(read));
  return {
    size,
    status: samples[0]?.status ?? 0,
    cpuMs: figure(({ cpuMs }) => cpuMs),
    stallMs: figure(({ stallMs }) => stallMs),
    residentGrowthBytes: figure(({ residentGrowthBytes }) => residentGrowthBytes),
  };
}
