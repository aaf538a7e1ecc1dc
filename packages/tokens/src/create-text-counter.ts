import { isGatewayError } from "@gatehouse/errors";
import { taskModule, WorkerPool } from "@gatehouse/workers";
import type { CountTaskInput } from "./count-task.ts";
import { loadTokenDecoder } from "./decode-tokens.ts";
import { countTexts, tokensAtMost } from "./token-count.ts";
import type { CountTexts } from "./token-counter.ts";
import { loadEncoder } from "./token-encoder.ts";

/** Bounds of counting on the event loop and on threads. */
export const textCounterBounds = {
  /** Texts of up to so many characters are counted on the event loop, where the worst of them takes about 10 ms. */
  inlineCharsMax: 8 * 1_024,
  /** A thread's time for one call's texts, before it estimates the rest. */
  timeMsMax: 1_000,
  /** When the thread is ended, should it not have kept its time. */
  deadlineMs: 2_000,
  /** A body's texts and their pieces take up to 100 MiB. */
  memoryMibMax: 512,
};

type TextCounterBounds = Readonly<typeof textCounterBounds>;

/** Counts tokens, on threads where texts are long. */
export interface TextCounter {
  readonly count: CountTexts;
  /** Reads the vocabularies, 6 MB, so that no call has to wait for that. @throws Error `ENOENT` where the build has not made them */
  readonly start: () => void;
  readonly close: () => void;
}

/** Counts tokens off the event loop, except for short texts. */
export function createTextCounter(bounds: TextCounterBounds = textCounterBounds): TextCounter {
  const { inlineCharsMax, timeMsMax, deadlineMs, memoryMibMax } = bounds;
  const pool = new WorkerPool<CountTaskInput, readonly number[]>({
    name: "token counting",
    module: taskModule(import.meta.url, "./count-task"),
    threadsMax: 1,
    memoryMibMax,
  });
  return {
    async count(texts, { tenant, tokensMax, signal, mayEstimate }) {
      if (charsOf(texts) <= inlineCharsMax) return countTexts(texts, loadEncoder());
      try {
        const input = { texts, tokensMax, timeMsMax };
        return await pool.run(input, { tenant, deadlineMs, ...(signal === undefined ? {} : { signal }) });
      } catch (err) {
        // Another attempt would end like this one.
        const isOverloaded = isGatewayError(err) && err.code === "unavailable";
        if (isOverloaded ? mayEstimate : isGatewayError(err) && outOfBounds.has(err.code))
          return texts.map(tokensAtMost);
        throw err;
      }
    },
    start() {
      loadEncoder();
      loadTokenDecoder();
    },
    close: () => pool.close(),
  };
}

/** Codes of work that ran out of its time or its memory. */
const outOfBounds: ReadonlySet<string> = new Set(["deadline_exceeded", "internal"]);

function charsOf(texts: readonly string[]): number {
  let chars = 0;
  for (const { length } of texts) chars += length;
  return chars;
}
