/**
 * The time of the workload below on the machine that the bars were set on (a core of an AMD EPYC at about 3 GHz, Node 24), nothing
 * else running, ms.
 */
export const referenceWorkloadMs = 10.5;
/** A machine slower than this is held to this: beyond it, a fault of the product could hide in the allowance. */
const slownessMax = 3;

const rounds = 7;
const items = 24_000;

/**
 * Times work of the kind that stalls an event loop, parsing and encoding about 4 MiB of JSON, in this process. The best round
 * counts: other programs only make a round slower, and the time they take from the product is taken off elsewhere.
 */
export function timeReferenceWorkload(): number {
  const text = JSON.stringify(
    Array.from({ length: items }, (_, at) => ({ id: at, name: `item ${at}`, text: 'quote " and \\ '.repeat(6) })),
  );
  return Math.min(...Array.from({ length: rounds }, () => timeRound(text)));
}

/** Slowness of a machine as a multiple of the reference's: never below 1, so that no machine is held to less time than the bar says. */
export function slownessOf(workloadMs: number): number {
  return Math.min(slownessMax, Math.max(1, workloadMs / referenceWorkloadMs));
}

function timeRound(text: string): number {
  const startedAt = performance.now();
  const parsed = JSON.parse(text) as unknown;
  if (JSON.stringify(parsed).length !== text.length) throw new Error("The workload was not encoded as it was parsed.");
  return performance.now() - startedAt;
}
