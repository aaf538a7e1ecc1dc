import { digestUnitsMin } from "@gatehouse/bounded-cache";
import { isGatewayError } from "@gatehouse/errors";
import { taskModule, WorkerPool } from "@gatehouse/workers";
import type { CountTaskInput, CountTaskOutput } from "./count-task.ts";
import { loadTokenDecoder } from "./decode-tokens.ts";
import { KnownCounts } from "./known-counts.ts";
import { countTexts, tokensAtMost } from "./token-count.ts";
import { type CountScope, type CountTexts, sum } from "./token-counter.ts";
import { loadEncoder } from "./token-encoder.ts";

/** Bounds of counting on the event loop and on threads. */
export const textCounterBounds = {
  /** Longest texts counted on the event loop, where the worst take about 10 ms. */
  inlineCharsMax: 8 * 1_024,
  /** A thread's time for one call's texts, before it estimates the rest. */
  timeMsMax: 1_000,
  /** Time after which a thread that exceeds it is terminated, milliseconds. */
  deadlineMs: 2_000,
  /** A body's texts and their pieces take up to 100 MiB. */
  memoryMibMax: 512,
};

type TextCounterBounds = Readonly<typeof textCounterBounds>;

/** Token counter of one process, with its worker thread, which `close` ends. */
export interface TextCounter {
  readonly count: CountTexts;
  /** Reads the vocabularies, 6 MB, so that no call has to wait for them. @throws Error `ENOENT` where the build has not made them */
  readonly start: () => void;
  readonly close: () => void;
}

/**
 * Counts tokens off the event loop, except for short texts; counts of repeated long texts are cached.
 * @param knownTextsMax cached counts; see {@link KnownCounts}.
 */
export function createTextCounter(knownTextsMax: number, bounds: TextCounterBounds = textCounterBounds): TextCounter {
  const { inlineCharsMax, timeMsMax, deadlineMs, memoryMibMax } = bounds;
  const known = new KnownCounts(knownTextsMax);
  const pool = new WorkerPool<CountTaskInput, CountTaskOutput>({
    name: "token counting",
    module: taskModule(import.meta.url, "./count-task"),
    threadsMax: 1,
    memoryMibMax,
  });
  const countHere = async (texts: readonly string[], scope: CountScope): Promise<Counted> => {
    if (charsOf(texts) <= inlineCharsMax) return { counts: countTexts(texts, loadEncoder()), isExact: true };
    const { tenant, tokensMax, signal, mayEstimate } = scope;
    try {
      const input = { texts, tokensMax, timeMsMax };
      const { counts, isLate } = await pool.run(input, { tenant, deadlineMs, ...(signal && { signal }) });
      return { counts, isExact: !isLate && (tokensMax === undefined || sum(counts) <= tokensMax) };
    } catch (err) {
      // An exact count would exceed the bounds again, so the largest possible count is returned.
      const isOverloaded = isGatewayError(err) && err.code === "unavailable";
      if (isOverloaded ? mayEstimate : isGatewayError(err) && outOfBounds.has(err.code))
        return { counts: texts.map(tokensAtMost), isExact: false };
      throw err;
    }
  };
  return {
    count: async (texts, scope) => await countWith(known, texts, scope, countHere),
    start() {
      loadEncoder();
      loadTokenDecoder();
    },
    close: () => pool.close(),
  };
}

interface Counted {
  readonly counts: readonly number[];
  /** Whether no count is an estimate. */
  readonly isExact: boolean;
}

/** Counts the uncached texts, and caches exact counts. */
async function countWith(
  known: KnownCounts,
  texts: readonly string[],
  scope: CountScope,
  countNew: (texts: readonly string[], scope: CountScope) => Promise<Counted>,
): Promise<readonly number[]> {
  if (texts.every(({ length }) => length < digestUnitsMin)) return (await countNew(texts, scope)).counts;
  const keys = known.keysOf(texts, scope.tenant);
  const found = keys.map((key) => known.find(key));
  const unknown = [...texts.keys()].filter((index) => found[index] === undefined);
  if (unknown.length > 0) {
    const tokensMax = scope.tokensMax && Math.max(0, scope.tokensMax - sum(found.map((count) => count ?? 0)));
    const asked = unknown.map((index) => texts[index] ?? "");
    const { counts, isExact } = await countNew(asked, { ...scope, ...(tokensMax !== undefined && { tokensMax }) });
    for (const [at, index] of unknown.entries()) {
      const count = counts[at] ?? 0;
      found[index] = count;
      if (isExact) known.remember(keys[index], count);
    }
  }
  return found.map((count) => count ?? 0);
}

/** Error codes of tasks that exceeded their time or memory. */
const outOfBounds: ReadonlySet<string> = new Set(["deadline_exceeded", "internal"]);

function charsOf(texts: readonly string[]): number {
  let chars = 0;
  for (const { length } of texts) chars += length;
  return chars;
}
