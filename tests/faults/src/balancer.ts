import { setTimeout as delay } from "node:timers/promises";

/** A router as a load balancer knows it. */
export interface BalancedRouter {
  readonly url: string;
  /** Address of the operations port, which serves `/readyz`. */
  readonly operationsUrl: string;
}

/** Interval and time-out of probes, typical for load balancers. */
const probeIntervalMs = 200;
const probeTimeoutMs = 1_000;

/** Chooses ready routers as a load balancer would, while there are any. */
export class Balancer {
  readonly #routers: readonly BalancedRouter[];
  readonly #unready = new Set<BalancedRouter>();
  readonly #stopped = new AbortController();
  #turn = 0;

  constructor(routers: readonly BalancedRouter[]) {
    this.#routers = routers;
    for (const router of routers) void this.#watch(router);
  }

  /** Routers for a call, first choice first; later ones are tried where the connection is refused. */
  choose(): readonly string[] {
    const first = this.#turn++;
    const inTurn = this.#routers.map((_, at) => this.#routers[(first + at) % this.#routers.length]);
    const known = inTurn.filter((router) => router !== undefined);
    return known.toSorted((one, other) => this.#rank(one) - this.#rank(other)).map(({ url }) => url);
  }

  stop(): void {
    this.#stopped.abort();
  }

  #rank(router: BalancedRouter): number {
    return this.#unready.has(router) ? 1 : 0;
  }

  async #watch(router: BalancedRouter): Promise<void> {
    const { signal } = this.#stopped;
    while (!signal.aborted) {
      if (await isReady(router)) this.#unready.delete(router);
      else this.#unready.add(router);
      await delay(probeIntervalMs, undefined, { signal }).catch(() => {});
    }
  }
}

async function isReady({ operationsUrl }: BalancedRouter): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(probeTimeoutMs);
    const reply = await fetch(`${operationsUrl}/readyz`, { headers: { connection: "close" }, signal });
    await reply.body?.cancel();
    return reply.ok;
  } catch {
    return false;
  }
}
