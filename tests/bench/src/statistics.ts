/** Summary of the rounds of a measurement. */
export interface Summary {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly count: number;
}

/** A summary of ratios by round, and whether they are too far apart to trust. */
export interface RatioSummary extends Summary {
  readonly unsure: boolean;
}

/** Spread, relative to the median, from which ratios are marked as unsure. */
const unsureAboveSpread = 0.25;

/** The middle value, or the mean of the two in the middle; NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** Nearest-rank quantile `q` (0 to 1); NaN for an empty list. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN;
}

/** Median, minimum and maximum; undefined for an empty list. */
export function summarize(values: readonly number[]): Summary | undefined {
  if (values.length === 0) return undefined;
  return { median: median(values), min: Math.min(...values), max: Math.max(...values), count: values.length };
}

/** Spread of the values, as a share of their median. */
export function spread({ median, min, max }: Summary): number {
  return (max - min) / median;
}

/**
 * Divides round by round, which cancels disturbances of a whole round. A single round has no spread, and so is unsure. Undefined
 * without a round with both values.
 */
export function pairedRatio(
  values: readonly (number | undefined)[],
  baseline: readonly (number | undefined)[],
): RatioSummary | undefined {
  const ratios = paired(values, baseline, (value, base) => value / base).filter((ratio) => Number.isFinite(ratio));
  const summary = summarize(ratios);
  return summary && { ...summary, unsure: summary.count < 2 || spread(summary) > unsureAboveSpread };
}

/** Subtracts round by round; see {@link pairedRatio}. */
export function pairedDifference(
  values: readonly (number | undefined)[],
  baseline: readonly (number | undefined)[],
): Summary | undefined {
  return summarize(paired(values, baseline, (value, base) => value - base));
}

/** Order of one round: alternately forwards and backwards (A B C, C B A), so that a drift of the machine favours none. */
export function roundOrder<T>(items: readonly T[], round: number): readonly T[] {
  return round % 2 === 0 ? items : items.toReversed();
}

function paired(
  values: readonly (number | undefined)[],
  baseline: readonly (number | undefined)[],
  combine: (value: number, base: number) => number,
): number[] {
  return values.flatMap((value, round) => {
    const base = baseline[round];
    return value === undefined || base === undefined ? [] : [combine(value, base)];
  });
}
