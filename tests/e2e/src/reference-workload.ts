/**
 * Time of the workload below on the machine for which the bars were set (a core of an AMD EPYC at about 3 GHz, Node 24, idle),
 * milliseconds.
 */
export const referenceWorkloadMs = 10.5;
/** Largest factor for slow machines; with more, a fault of the product could hide in the allowance. */
const slownessMax = 3;

const rounds = 7;
const items = 24_000;

/**
 * Time of a workload that blocks an event loop: parsing and encoding about 4 MiB of JSON. The best round counts, since other
 * programs only slow rounds down, and their time is subtracted elsewhere.
 */
export function timeReferenceWorkload(): number {
  const text = JSON.stringify(
    Array.from({ length: items }, (_, at) => ({ id: at, name: `item ${at}`, text: 'quote " and \\ '.repeat(6) })),
  );
  return Math.min(...Array.from({ length: rounds }, () => timeRound(text)));
}

/** Slowness relative to the reference machine; at least 1, so that no machine gets less time than the bar. */
export function slownessOf(workloadMs: number): number {
  return Math.min(slownessMax, Math.max(1, workloadMs / referenceWorkloadMs));
}

function timeRound(text: string): number {
  const startedAt = performance.now();
  const parsed = JSON.parse(text) as unknown;
  if (JSON.stringify(parsed).length !== text.length) throw new Error("The workload was not encoded as it was parsed.");
  return performance.now() - startedAt;
}
