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
  /** First measurements of each size of a growth series. */
  readonly repeats: number;
  /** Repetitions of a series whose exponent exceeds the bar, before that counts. */
  readonly repeatsWhenSuspicious: number;
  /** Series that must all exceed the bar, since a garbage collection in one of them is not growth. */
  readonly seriesAttempts: number;
  /** Largest size, where the place accepts it. */
  readonly bytesMax: number;
}

export interface Sample {
  readonly size: number;
  readonly status: number;
  /** Excludes full garbage collections and, in a series, the cost of a minimal exchange. */
  readonly cpuMs: number;
  readonly collectionMs: number;
  readonly stallMs: number;
  readonly residentGrowthBytes: number;
}

/** Result of one case. */
export interface Report {
  readonly place: string;
  readonly shape: string;
  /** Medians by size; only the largest where it was too cheap for a series. */
  readonly samples: readonly Sample[];
  readonly cpuExponent: number | undefined;
  readonly memoryExponent: number | undefined;
  /** Bars that the case exceeds, in words; empty: none. */
  readonly breaches: readonly string[];
}

/** Cases in order; those of places with small payloads in groups. */
export function* inGroups(cases: readonly Case[]): Generator<readonly Case[]> {
  const isSmall = ({ place }: Case) => place.bytesMax <= groupedBytesMax;
  const small = cases.filter(isSmall);
  for (let at = 0; at < small.length; at += groupSize) yield small.slice(at, at + groupSize);
  for (const entry of cases) if (!isSmall(entry)) yield [entry];
}

/** Sizes are n, 2n, 4n and 8n. */
const factors = [1, 2, 4, 8] as const;
/** CPU time at 8n below which no series is measured, since the exponent would be noise. */
const cpuFloorMs = 60;
/** Points of a series below this are excluded from the fit. */
const cpuPointFloorMs = 6;
const memoryFloorBytes = 64 * 1024 * 1024;
const memoryPointFloorBytes = 8 * 1024 * 1024;
/**
 * Exponent between the smallest and the largest size up to which the sizes between are not measured: below the bar by the error
 * of a single measurement.
 */
const plainExponentMax = 1.05;
/** Measurements of the smallest size for that: an accidentally high value would hide growth. */
const smallestRepeats = 2;
/** Places with a smaller bound are tried with several shapes in one window. */
const groupedBytesMax = 64 * 1024;
const groupSize = 16;
/** Part of a size by which each further payload is shorter, and its largest value in bytes. */
const shortening = { share: 1 / 256, bytesMax: 256 };

/** Runs cases on one site, and knows the cost of a minimal exchange in each place. */
export class MatrixRunner {
  readonly #site: Site;
  readonly #meter: Meter;
  readonly #options: MatrixOptions;
  readonly #fixedCpuMs = new Map<string, number>();
  /** Number of payloads per case and size. */
  readonly #payloads = new Map<string, number>();
  /** Largest factor by which the bar for stalls was scaled. */
  slownessMax = 1;

  constructor(parts: { readonly site: Site; readonly meter: Meter; readonly options: MatrixOptions }) {
    this.#site = parts.site;
    this.#meter = parts.meter;
    this.#options = parts.options;
  }

  /**
   * Runs cases of small payloads, each at its largest size, in one window: if all of them together exceed no bar and cost too
   * little for a series, each passes. Otherwise by halves. @throws Error as {@link run}
   */
  async runTogether(cases: readonly Case[]): Promise<readonly Report[]> {
    const [only] = cases;
    if (only === undefined) return [];
    if (cases.length === 1) return [await this.run(only)];
    const statuses: number[] = [];
    const attacks = await Promise.all(
      cases.map(async ({ place, shape }) => await place.arm(this.#site, payloadOf(shape, place.bytesMax))),
    );
    const cost = await this.#meter.measure(async () => {
      for (const attack of attacks) statuses.push(await attack());
    });
    const { cpuMs, collectionMs, residentGrowthBytes, stall } = cost;
    if (!isCheap(cost) || describeBreach(cost, await this.#meter.idle(0)) !== undefined) {
      const middle = Math.ceil(cases.length / 2);
      return [...(await this.runTogether(cases.slice(0, middle))), ...(await this.runTogether(cases.slice(middle)))];
    }
    // Sums over all cases, and so upper bounds for each.
    const figures = { cpuMs, collectionMs, stallMs: stall.longestOwnMs, residentGrowthBytes };
    return cases.map(({ place, shape }, at) => ({
      place: place.name,
      shape: shape.name,
      samples: [{ size: place.bytesMax, status: statuses[at] ?? 0, ...figures }],
      cpuExponent: undefined,
      memoryExponent: undefined,
      breaches: [],
    }));
  }

  /** @throws Error when the product ends or hangs: the site is then unusable */
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

  /** Compares the largest size with the bars; repeats suspicious ones. */
  async #againstBars(
    of: Case,
    size: number,
  ): Promise<{ readonly sample: Sample; readonly breaches: readonly string[] }> {
    const breaches: string[] = [];
    let worst: Sample | undefined;
    for (const pauseMs of attemptPausesMs) {
      const idle = await this.#meter.idle(pauseMs);
      const { sample, cost } = await this.#measureOnce(of, size);
      this.slownessMax = Math.max(this.slownessMax, idle.slowness);
      const breach = describeBreach(cost, idle);
      if (breach === undefined) return { sample, breaches: [] };
      if (worst === undefined || sample.stallMs < worst.stallMs) worst = sample;
      breaches.push(breach);
    }
    if (worst === undefined) throw new Error("Nothing was measured.");
    // All attempts exceeded a bar; the mildest one counts.
    return { sample: worst, breaches: breaches.toSorted().slice(0, 1) };
  }

  async #seriesOf(of: Case, measured: Sample): Promise<readonly Sample[]> {
    if (isCheap(measured)) return [measured];
    const largest = await this.#withoutFixedCost(of, measured);
    if (isCheap(largest)) return [largest];
    const sizes = factors.map((factor) => Math.floor((largest.size * factor) / 8));
    const plain = await this.#plainSeries(of, sizes, largest);
    if (plain !== undefined) return plain;
    let mildest: { readonly series: readonly Sample[]; readonly exponent: number } | undefined;
    for (let attempt = 0; attempt < this.#options.seriesAttempts; attempt += 1) {
      const bySize = new Map<number, Sample[]>(sizes.map((size) => [size, []]));
      if (attempt === 0) bySize.get(largest.size)?.push(largest);
      for (const wanted of [this.#options.repeats, this.#options.repeatsWhenSuspicious]) {
        await this.#fill(of, bySize, wanted);
        const series = sizes.map((size) => summaryOf(size, bySize.get(size) ?? [], median));
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

  /** The ends of a series that grows far below the bar; undefined where all sizes must be measured. */
  async #plainSeries(of: Case, sizes: readonly number[], largest: Sample): Promise<readonly Sample[] | undefined> {
    const smallest = await this.#smallestOf(of, sizes[0] ?? largest.size);
    const exponentOf = (read: (sample: Sample) => number, floor: number) =>
      read(largest) < floor ? 0 : Math.log(read(largest) / read(smallest)) / Math.log(largest.size / smallest.size);
    if (smallest.cpuMs < cpuPointFloorMs || exponentOf(({ cpuMs }) => cpuMs, cpuFloorMs) > plainExponentMax)
      return undefined;
    const memory = exponentOf((sample) => sample.residentGrowthBytes, memoryFloorBytes);
    return memory > plainExponentMax ? undefined : [smallest, largest];
  }

  /** The minimum of each figure. */
  async #smallestOf(of: Case, size: number): Promise<Sample> {
    const samples: Sample[] = [];
    for (let round = 0; round < smallestRepeats; round += 1) samples.push(await this.#measure(of, size));
    return summaryOf(size, samples, (values) => Math.min(...values));
  }

  async #fill(of: Case, bySize: ReadonlyMap<number, Sample[]>, wanted: number): Promise<void> {
    for (let round = 0; round < wanted; round += 1) {
      for (const [size, samples] of bySize) {
        if (samples.length < wanted) samples.push(await this.#measure(of, size));
      }
    }
  }

  /** A sample of a series, without the fixed cost. */
  async #measure(of: Case, size: number): Promise<Sample> {
    return await this.#withoutFixedCost(of, (await this.#measureOnce(of, size)).sample);
  }

  async #measureOnce({ place, shape }: Case, size: number): Promise<{ readonly sample: Sample; readonly cost: Cost }> {
    const attack = await place.arm(this.#site, payloadOf(shape, this.#nextBytes({ place, shape }, size)));
    let status = 0;
    const cost = await this.#meter.measure(async () => {
      status = await attack();
    });
    const { residentGrowthBytes, collectionMs } = cost;
    const cpuMs = Math.max(0, cost.cpuMs - collectionMs);
    const stallMs = cost.stall.longestOwnMs;
    return { sample: { size, status, cpuMs, collectionMs, stallMs, residentGrowthBytes }, cost };
  }

  /** Never repeats a text: the product caches token counts, and a cached one costs almost nothing. */
  #nextBytes({ place, shape }: Case, size: number): number {
    const key = `${place.name} ${shape.name} ${size}`;
    const made = this.#payloads.get(key) ?? 0;
    this.#payloads.set(key, made + 1);
    return size - Math.ceil(made * Math.min(shortening.bytesMax, size * shortening.share));
  }

  /** The fixed cost is the same for every size and would flatten the series. */
  async #withoutFixedCost(of: Case, sample: Sample): Promise<Sample> {
    return { ...sample, cpuMs: Math.max(0, sample.cpuMs - (await this.#fixedCost(of))) };
  }

  async #fixedCost({ place, shape }: Case): Promise<number> {
    const known = this.#fixedCpuMs.get(place.name);
    if (known !== undefined) return known;
    const costs: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      costs.push((await this.#measureOnce({ place, shape }, 16)).cost.cpuMs);
    }
    const fixedMs = Math.min(...costs);
    this.#fixedCpuMs.set(place.name, fixedMs);
    return fixedMs;
  }
}

/** Whether it costs too little for a series. */
function isCheap({ cpuMs, residentGrowthBytes }: Pick<Sample, "cpuMs" | "residentGrowthBytes">): boolean {
  return cpuMs < cpuFloorMs && residentGrowthBytes < memoryFloorBytes;
}

function overBar(figure: string, exponent: number | undefined): readonly string[] {
  if (exponent === undefined || exponent <= growthExponentMax) return [];
  return [`${figure} grows with the power ${exponent.toFixed(2)} of the size, more than ${growthExponentMax}`];
}

function pointsOf(series: readonly Sample[], read: (sample: Sample) => number): readonly Point[] {
  return series.map((sample) => ({ size: sample.size, value: read(sample) }));
}

/** One sample for several of a size, chosen per figure. */
function summaryOf(size: number, samples: readonly Sample[], choose: (values: readonly number[]) => number): Sample {
  const figure = (read: (sample: Sample) => number) => choose(samples.map(read));
  return {
    size,
    status: samples[0]?.status ?? 0,
    cpuMs: figure(({ cpuMs }) => cpuMs),
    collectionMs: figure(({ collectionMs }) => collectionMs),
    stallMs: figure(({ stallMs }) => stallMs),
    residentGrowthBytes: figure(({ residentGrowthBytes }) => residentGrowthBytes),
  };
}
