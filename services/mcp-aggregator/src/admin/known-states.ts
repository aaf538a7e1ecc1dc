import type { JsonObject } from "@gatehouse/admin";
import type { ServiceHost } from "@gatehouse/service";
import type { UpstreamRegistry } from "../app/upstream-registry.ts";
import { describeState } from "./upstream-state.ts";

const subject = "mcp-aggregator upstream states";

interface KnownState {
  readonly upstreamId: number;
  /** Milliseconds since the process used the upstream. */
  readonly unusedMs: number;
  readonly state: JsonObject;
}

interface KnownStatesOptions {
  readonly registry: Pick<UpstreamRegistry, "peek">;
  readonly siblings: ServiceHost["siblings"];
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** States of upstreams, as known to this process and to the others at the same port. */
export class KnownStates {
  readonly #options: KnownStatesOptions;

  constructor(options: KnownStatesOptions) {
    this.#options = options;
    options.siblings?.answer(subject, (ids) => this.#own(ids as readonly number[]));
  }

  /** The state of each upstream in the process that used it last; without those that no process has used. */
  async latest(upstreamIds: readonly number[]): Promise<ReadonlyMap<number, JsonObject>> {
    const { siblings } = this.#options;
    const asked = siblings === undefined || upstreamIds.length === 0 ? [] : await siblings.ask(subject, upstreamIds);
    const known = [this.#own(upstreamIds), ...(asked as (readonly KnownState[])[])].flat();
    const latestLast = known.toSorted((one, other) => other.unusedMs - one.unusedMs);
    return new Map(latestLast.map(({ upstreamId, state }) => [upstreamId, state]));
  }

  #own(upstreamIds: readonly number[]): readonly KnownState[] {
    const { registry, now } = this.#options;
    return upstreamIds.flatMap((upstreamId) => {
      const runtime = registry.peek(upstreamId);
      const state = describeState(runtime);
      if (runtime === undefined || state["health"] === "unknown") return [];
      return [{ upstreamId, unusedMs: now() - runtime.usedAtMs, state }];
    });
  }
}
