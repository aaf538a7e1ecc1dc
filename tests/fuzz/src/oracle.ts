import type { FuzzTarget } from "./fuzz-target.ts";

export type FindingKind = "throws" | "hangs" | "slow" | "grows" | "leaks" | "crashes";

export interface Finding {
  readonly target: string;
  readonly kind: FindingKind;
  readonly detail: string;
  readonly input: Buffer;
}

/** Time limit of any input: a base and an addition per byte, milliseconds; a hundred times the need of a linear parser. */
const fixedMsMax = 40;
const perByteMsMax = 0.02;
/** Attempts at an input that looks slow, since other programs share the machine. */
const slowAttempts = 4;
/** Time after which a promise counts as never settling. */
const settleMsMax = 10_000;

/** Sizes of pumped inputs. */
const pumpBytes = [8, 16, 32, 64].map((kibibytes) => kibibytes * 1_024);
/** Shortest time that is meaningful for growth. */
const growthFloorMs = 12;
/** Largest factor per doubling: linear work, and half as much again for caches and garbage. */
const doublingMax = 3;

/** Judges a target's run of one input. */
export class Oracle {
  readonly #target: FuzzTarget;

  constructor(target: FuzzTarget) {
    this.#target = target;
  }

  /** Fault of an input's run; undefined: none. */
  async judge(input: Buffer): Promise<Finding | undefined> {
    const { tookMs, failure } = await this.#run(input);
    if (failure !== undefined) return failure;
    const boundMs = fixedMsMax + perByteMsMax * input.length;
    if (tookMs <= boundMs) return undefined;
    const bestMs = await this.#bestOf(input, slowAttempts);
    if (bestMs <= boundMs) return undefined;
    return this.#finding("slow", `${bestMs.toFixed(0)} ms for ${input.length} bytes`, input);
  }

  /** Whether a pumped input's time grows faster than its size. */
  async judgeGrowth(pumped: (bytes: number) => Buffer): Promise<Finding | undefined> {
    const inputs = pumpBytes.map(pumped);
    let suspicious = false;
    let lastMs = 0;
    for (const input of inputs) {
      const { tookMs, failure } = await this.#run(input);
      if (failure !== undefined) return failure;
      if (lastMs > growthFloorMs && tookMs > lastMs * doublingMax) suspicious = true;
      lastMs = tookMs;
    }
    if (!suspicious) return undefined;
    const times: number[] = [];
    for (const input of inputs) times.push(await this.#bestOf(input, slowAttempts));
    const [first = 0, , , last = 0] = times;
    // Three doublings of linear work give a factor of eight.
    if (last < growthFloorMs * doublingMax || last < first * 8 * 2) return undefined;
    const told = times.map((ms, at) => `${(pumpBytes[at] ?? 0) / 1_024} KiB ${ms.toFixed(1)} ms`).join(", ");
    return this.#finding("grows", told, inputs[0] ?? Buffer.alloc(0));
  }

  async #bestOf(input: Buffer, attempts: number): Promise<number> {
    let best = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < attempts; attempt += 1) best = Math.min(best, (await this.#run(input)).tookMs);
    return best;
  }

  async #run(input: Buffer): Promise<{ readonly tookMs: number; readonly failure?: Finding }> {
    const startedAt = cpuMs();
    try {
      const result = this.#target.run(input);
      if (result instanceof Promise && (await settled(result)) === late) {
        return { tookMs: settleMsMax, failure: this.#finding("hangs", `not settled after ${settleMsMax} ms`, input) };
      }
    } catch (err) {
      if (!this.#target.isDeclared(err)) return { tookMs: 0, failure: this.#finding("throws", describe(err), input) };
    }
    return { tookMs: cpuMs() - startedAt };
  }

  #finding(kind: FindingKind, detail: string, input: Buffer): Finding {
    return { target: this.#target.name, kind, detail, input };
  }
}

/** CPU time of this thread, which excludes other programs. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

const late = Symbol("late");

async function settled(promise: Promise<unknown>): Promise<unknown> {
  const { promise: over, resolve } = Promise.withResolvers<typeof late>();
  const timer = setTimeout(() => resolve(late), settleMsMax);
  try {
    return await Promise.race([promise, over]);
  } finally {
    clearTimeout(timer);
  }
}

/** The error and its first location in the product. */
export function describe(err: unknown): string {
  if (!(err instanceof Error)) return `threw ${String(err)}`;
  const place = (err.stack ?? "").split("\n").find((line) => line.includes("/src/") || line.includes(".fuzz.ts"));
  return `${err.name}: ${err.message.slice(0, 300)}${place === undefined ? "" : ` ${place.trim()}`}`;
}
