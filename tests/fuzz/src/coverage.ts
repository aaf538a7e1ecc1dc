import { type Profiler, Session } from "node:inspector";

/** The inspector calls back synchronously on the same thread. */
function post(session: Session, method: string, params: object = {}): unknown {
  let answer: unknown;
  let failure: Error | null = null;
  session.post(method, params, (err, result) => {
    failure = err;
    answer = result;
  });
  if (failure !== null) throw failure as Error;
  return answer;
}

/** Block coverage of the product's code by V8's own counters, without changed sources or a native library. */
export class Coverage {
  readonly #session = new Session();
  readonly #seen = new Set<string>();
  #latest: readonly string[] = [];
  readonly #isProduct: (url: string) => boolean;

  constructor(isProduct: (url: string) => boolean) {
    this.#isProduct = isProduct;
    this.#session.connect();
    post(this.#session, "Profiler.enable");
    post(this.#session, "Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  get blocks(): number {
    return this.#seen.size;
  }

  /** Number of blocks that have run for the first time since the last call. */
  takeNew(): number {
    const { result } = post(this.#session, "Profiler.takePreciseCoverage") as Profiler.TakePreciseCoverageReturnType;
    const latest: string[] = [];
    for (const { url, scriptId, functions } of result) {
      if (!this.#isProduct(url)) continue;
      for (const { ranges } of functions) {
        for (const { startOffset, endOffset, count } of ranges) {
          const block = `${scriptId}:${startOffset}:${endOffset}`;
          if (count === 0 || this.#seen.has(block)) continue;
          this.#seen.add(block);
          latest.push(block);
        }
      }
    }
    this.#latest = latest;
    return latest.length;
  }

  /** Forgets the blocks of the last call, so that their cause can be found. */
  forgetLatest(): void {
    for (const block of this.#latest) this.#seen.delete(block);
    this.#latest = [];
  }

  stop(): void {
    this.#session.disconnect();
  }
}
