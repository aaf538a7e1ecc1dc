import { durationBuckets } from "@gatehouse/service";
import { PairHistogram } from "@gatehouse/telemetry";
import { Counter, Gauge, type Registry } from "prom-client";
import type { PrincipalCacheCounts } from "./app/principal-cache.ts";
import type { BoundName, HolderName, FairShareLimiter } from "./domain/fair-share-limiter.ts";

/** Metrics of requests. `seconds` of `observe` lasts from a request's head to the end of its reply. */
export interface RequestMetrics {
  /** Counts a request refused by a bound. */
  refused(holder: HolderName, bound: BoundName | "bodyBytesPerSecond"): void;
  /** Counts a request that was ended after its admission. */
  ended(reason: EndReason): void;
  /** Counts a connection that was closed because its client did not read. */
  slowReader(): void;
  observe(route: string, status: number, seconds: number): void;
}

interface RouterMetricsOptions {
  readonly registry: Registry;
  readonly caches: Readonly<Record<string, { readonly counts: PrincipalCacheCounts; readonly size: number }>>;
  readonly isWatchConnected: () => boolean;
  readonly shares: Pick<FairShareLimiter, "inUse" | "holders">;
  /** Look-ups refused to addresses with too many wrong credentials. */
  readonly credentialGuards: Readonly<Record<string, { readonly refused: number }>>;
}

/** Reason for ending a request: credential no longer valid, credential cannot be checked, client does not read, or router stops. */
export type EndReason = "revoked" | "unchecked" | "unread" | "stopping";

/** Registers the router's metrics. Labels are bounded: route ids and statuses. */
export function createRouterMetrics(options: RouterMetricsOptions): RequestMetrics {
  const { registry, caches } = options;
  const duration = new PairHistogram({
    registry,
    name: "gatehouse_router_request_duration_seconds",
    help: "Time from a request's head to the end of its reply.",
    labelNames: ["route", "status"],
    buckets: durationBuckets,
  });
  new Counter({
    name: "gatehouse_router_requests_total",
    help: "Requests answered, by route and status; status 499 where the client left first.",
    labelNames: ["route", "status"],
    registers: [registry],
    collect() {
      this.reset();
      for (const { labels, count } of duration.counts()) this.inc(labels, count);
    },
  }).reset();
  registerCacheMetrics(registry, caches);
  registerGauges(options);
  return {
    ...registerEdgeCounters(options),
    observe: (route, status, seconds) => duration.observe(route, status, seconds),
  };
}

function registerEdgeCounters({ registry, credentialGuards }: RouterMetricsOptions): Omit<RequestMetrics, "observe"> {
  const registers = [registry];
  const refusals = new Counter({
    name: "gatehouse_router_share_refusals_total",
    help: "Requests refused because a caller, or the whole, has too much open; by whose bound and which.",
    labelNames: ["holder", "bound"],
    registers,
  });
  const ended = new Counter({
    name: "gatehouse_router_requests_ended_total",
    help: "Requests ended after they were let in, by reason.",
    labelNames: ["reason"],
    registers,
  });
  const slowReaders = new Counter({
    name: "gatehouse_router_slow_readers_total",
    help: "Connections ended because their client took nothing of what waited for it.",
    registers,
  });
  const guarded = new Counter({
    name: "gatehouse_router_credential_refusals_total",
    help: "Credentials refused without a question, since their address has sent too many wrong ones; by kind.",
    labelNames: ["credential"],
    registers,
    collect() {
      this.reset();
      for (const [credential, { refused }] of Object.entries(credentialGuards)) this.inc({ credential }, refused);
    },
  });
  guarded.reset();
  return {
    refused: (holder, bound) => refusals.inc({ holder, bound }),
    ended: (reason) => ended.inc({ reason }),
    slowReader: () => slowReaders.inc(),
  };
}

function registerGauges({ registry, shares, isWatchConnected }: RouterMetricsOptions): void {
  registerGauge(
    registry,
    "gatehouse_router_requests_in_flight",
    "Requests whose reply has not left yet.",
    () => shares.inUse.requestsInFlight,
  );
  registerGauge(
    registry,
    "gatehouse_router_buffered_bytes",
    "Bytes of request bodies held, and of replies that their clients have not taken.",
    () => shares.inUse.bufferedBytes,
  );
  registerGauge(registry, "gatehouse_router_streams", "Event streams and WebSockets open.", () => shares.inUse.streams);
  registerGauge(
    registry,
    "gatehouse_router_share_holders",
    "Projects, tokens, admin keys and addresses with something open.",
    () => shares.holders,
  );
  registerGauge(
    registry,
    "gatehouse_router_watch_connected",
    "1 while changes to tokens are pushed by the control plane.",
    () => (isWatchConnected() ? 1 : 0),
  );
}

function registerCacheMetrics(registry: Registry, caches: RouterMetricsOptions["caches"]): void {
  const lookups = new Counter({
    name: "gatehouse_router_principal_lookups_total",
    help: "Look-ups of credentials by result: fresh or stale from the cache, known to be unknown, asked, or asked without an answer.",
    labelNames: ["cache", "outcome"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [cache, { counts }] of Object.entries(caches)) {
        for (const [outcome, count] of Object.entries(counts)) this.inc({ cache, outcome }, Number(count));
      }
    },
  });
  lookups.reset();
  const entries = new Gauge({
    name: "gatehouse_router_principal_cache_entries",
    help: "Credentials held in the cache.",
    labelNames: ["cache"],
    registers: [registry],
    collect() {
      for (const [cache, { size }] of Object.entries(caches)) this.set({ cache }, size);
    },
  });
  entries.reset();
}

function registerGauge(registry: Registry, name: string, help: string, read: () => number): void {
  const gauge = new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
  gauge.set(0);
}
