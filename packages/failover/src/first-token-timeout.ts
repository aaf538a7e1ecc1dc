import { BoundedCache } from "@gatehouse/bounded-cache";
import type { JsonObject } from "@gatehouse/json";
import { type AttemptBounds, modelsMax, type ProviderAddress, ProviderError } from "@gatehouse/providers";

/** Parameters that have a model think before its first token. */
const thinkingParameters = ["reasoning", "reasoning_effort", "thinking"] as const;
const withoutThinking: ReadonlySet<unknown> = new Set([undefined, null, "none", "minimal"]);

/**
 * Longest wait for a stream's first token while another target can be asked. A model is taken for a quick one until it runs
 * out of the short bound; the next call then lets it have the service's own. It is a quick one once more after a first token within the
 * short bound, and after silence over the long one: it does not think, it is stuck. So models that always think for long are lost to
 * the next target once, and not with each call.
 */
export class FirstTokenTimeout {
  /** Milliseconds of a monotonic clock. */
  readonly #now: () => number;
  /** Longest wait for a stream's first token while another target can be asked, ms. */
  readonly #shortMs: number;
  readonly #slow = new BoundedCache<string, true>(modelsMax);

  constructor(now: () => number, shortMs: number) {
    this.#now = now;
    this.#shortMs = shortMs;
  }

  /** The service's bounds as they hold for an attempt after which another target can be asked. */
  limit(address: ProviderAddress, parameters: JsonObject, bounds: AttemptBounds): AttemptBounds {
    if (bounds.firstTokenMs <= this.#shortMs || this.#slow.has(keyOf(address)) || asksForThinking(parameters))
      return bounds;
    return { ...bounds, firstTokenMs: this.#shortMs };
  }

  /** Learns from how long the first token of a stream has taken. `firstTokenMs` is the bound that held. */
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
