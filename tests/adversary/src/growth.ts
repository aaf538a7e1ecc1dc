export interface Point {
  readonly size: number;
  readonly value: number;
}

/** Fewest points for a meaningful slope. */
const pointsMin = 3;

/**
 * Exponent k of `value ~ size^k`: the slope of the least-squares line through the logarithms. Omits points below the floor, which
 * are mostly noise. Undefined where too few remain: the values are too small to show growth.
 */
export function growthExponent(points: readonly Point[], floor: number): number | undefined {
  const logs = points
    .filter(({ value }) => value >= floor)
    .map(({ size, value }) => ({ x: Math.log(size), y: Math.log(value) }));
  if (logs.length < Math.min(pointsMin, points.length)) return undefined;
  const meanX = mean(logs.map(({ x }) => x));
  const meanY = mean(logs.map(({ y }) => y));
  const covariance = mean(logs.map(({ x, y }) => (x - meanX) * (y - meanY)));
  const variance = mean(logs.map(({ x }) => (x - meanX) ** 2));
  return variance === 0 ? undefined : covariance / variance;
}

/** The middle value, or the mean of the two in the middle. @throws RangeError for an empty list */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("There is no median of nothing.");
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
  return (lower + upper) / 2;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
