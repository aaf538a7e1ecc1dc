import { BoundedCache } from "@gatehouse/bounded-cache";
import type { JsonObject } from "@gatehouse/json";
import { type AttemptBounds, modelsMax, type ProviderAddress, ProviderError } from "@gatehouse/providers";

/** Parameters that make a model reason before its first token. */
const thinkingParameters = ["reasoning", "reasoning_effort", "thinking"] as const;
const withoutThinking: ReadonlySet<unknown> = new Set([undefined, null, "none", "minimal"]);

/**
 * Longest wait for a stream's first token while another target can be tried. A model counts as quick until it exceeds the short
 * bound; the next call then gets the service's bound. It counts as quick again after a first token within the short bound, and
 * after a silence beyond the long one, which means that it hangs. So a model that always reasons for long loses one call to the
 * next target, not every call.
 */
export class FirstTokenTimeout {
  /** Milliseconds of a monotonic clock. */
  readonly #now: () => number;
  /** Longest wait for a stream's first token while another target can be tried, ms. */
  readonly #shortMs: number;
  readonly #slow = new BoundedCache<string, true>(modelsMax);

  constructor(now: () => number, shortMs: number) {
    this.#now = now;
    this.#shortMs = shortMs;
  }

  /** Bounds of an attempt that another target can follow. */
  limit(address: ProviderAddress, parameters: JsonObject, bounds: AttemptBounds): AttemptBounds {
    if (bounds.firstTokenMs <= this.#shortMs || this.#slow.has(keyOf(address)) || asksForThinking(parameters))
      return bounds;
    return { ...bounds, firstTokenMs: this.#shortMs };
  }

  /** Records the time of a stream's first token. `firstTokenMs` is the bound that applied. */
  async watch<T>(address: ProviderAddress, firstTokenMs: number, begin: () => Promise<T>): Promise<T> {
    const begunAt = this.#now();
    const key = keyOf(address);
    try {
      const stream = await begin();
      if (this.#now() - begunAt <= this.#shortMs) this.#slow.delete(key);
      return stream;
    } catch (err) {
      if (err instanceof ProviderError && err.failure === "timeout" && !err.isOfConnection) {
        if (firstTokenMs <= this.#shortMs) this.#slow.set(key, true);
        else this.#slow.delete(key);
      }
      throw err;
    }
  }
}

function keyOf({ provider, model }: ProviderAddress): string {
  return JSON.stringify([provider, model]);
}

function asksForThinking(parameters: JsonObject): boolean {
  return thinkingParameters.some((name) => {
    const value = parameters[name];
    const isDisabled = typeof value === "object" && value !== null && "type" in value && value.type === "disabled";
    return !isDisabled && !withoutThinking.has(value);
  });
}
