import type pg from "pg";
import { Gauge, type Registry } from "prom-client";

type Pools = Map<string, pg.Pool>;

/** Services of one process share its registry; each pool has its service's name as a label. */
const poolsOf = new WeakMap<Registry, Pools>();

/** Registers the gauge of a pool's connections and waiting requests, `gatehouse_database_connections`. */
export function observePool(registry: Registry, service: string, pool: pg.Pool): void {
  const pools = poolsOf.get(registry) ?? registerGauge(registry);
  pools.set(service, pool);
}

function registerGauge(registry: Registry): Pools {
  const pools: Pools = new Map();
  poolsOf.set(registry, pools);
  void new Gauge({
    name: "gatehouse_database_connections",
    help: "Connections of a service's pool that are busy or idle, and callers that wait for one.",
    labelNames: ["service", "state"],
    registers: [registry],
    collect() {
      for (const [service, { totalCount, idleCount, waitingCount }] of pools) {
        this.set({ service, state: "busy" }, totalCount - idleCount);
        this.set({ service, state: "idle" }, idleCount);
        this.set({ service, state: "waiting" }, waitingCount);
      }
    },
  });
  return pools;
}
