import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type GatewayLog, noGatewayLog } from "@gatehouse/gateway-log";
import { type HttpServer, startHttpServer } from "@gatehouse/http";
import type { ServiceHandler } from "@gatehouse/principal";
import { createHealthHandler, type Readiness, type Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import { type PrincipalWatch, startPrincipalWatch } from "./clients/principal-watch.ts";
import { createAdminKeyQuestion, createTokenQuestion, type PrincipalsClient } from "./clients/principals.ts";
import type { RouterConfig } from "./config.ts";
import { createAuthenticate } from "./domain/authenticate.ts";
import { type Clock, systemClock } from "./domain/clock.ts";
import { createOriginCheck } from "./domain/origin-check.ts";
import { PrincipalCache } from "./domain/principal-cache.ts";
import { createRequestIds, type RequestIds } from "./domain/request-id.ts";
import { createDataMatcher } from "./domain/route-matcher.ts";
import { assertRouteTable, describeRoute, type Route, routes, type ServiceName } from "./domain/route-table.ts";
import { createControlLane } from "./http/control-lane.ts";
import { Gate } from "./http/gate.ts";
import { createIndexPage } from "./http/index-page.ts";
import { createListener } from "./http/listener.ts";
import { createRecordUnserved } from "./http/request-record.ts";
import { createTurnAway } from "./http/turn-away.ts";
import { createRouterMetrics } from "./metrics.ts";

export interface RouterDependencies {
  readonly principals: PrincipalsClient;
  /** Each in this process, or behind `createRemoteHandler` or `createProxiedHandler`: the router cannot tell. */
  readonly services: Readonly<Record<ServiceName, ServiceHandler>>;
  readonly telemetry: Telemetry;
  /** Where the outcome of each request goes that no service answers; started and stopped by the caller. Nowhere when absent. */
  readonly gatewayLog?: GatewayLog;
  /** Whether the services behind can do their work. */
  readonly servicesReadiness: () => Promise<Readiness>;
}

export interface RouterOverrides {
  readonly clock?: Clock;
  readonly routes?: readonly Route[];
  readonly requestIdPrefix?: string;
}

/** The router opens its own port: it is what clients see, so no other server stands before it. */
export interface RouterService extends Service {
  /** The port it listens on; 0 before the start. */
  readonly port: () => number;
}

/** How long after the last answer the control plane counts as reached while its stream is down. */
const reachedWithinMs = 10_000;

/** @throws Error when the route table is not safe to serve. */
export function createRouterService(
  config: RouterConfig,
  dependencies: RouterDependencies,
  overrides: RouterOverrides = {},
): RouterService {
  const { clock = systemClock, routes: table = routes, requestIdPrefix = newRequestIdPrefix() } = overrides;
  const { telemetry } = dependencies;
  assertRouteTable(table);
  const control = createControlPlaneLink(config, dependencies, clock);
  const requestIdFor = createRequestIds(requestIdPrefix);
  let server: HttpServer | undefined;
  let stopping = false;

  const readiness = async (): Promise<Readiness> => {
    if (stopping) return { ready: false, problems: ["router: stopping"] };
    const services = await dependencies.servicesReadiness();
    const problems = control.isReached() ? services.problems : ["control-plane: not reached", ...services.problems];
    return { ready: services.ready && control.isReached(), problems };
  };

  const listener = composeListener({ config, dependencies, table, control, requestIdFor, readiness });
  return {
    name: "router",
    rpc: [],
    port: () => server?.port ?? 0,
    readiness,
    async start() {
      telemetry.log.info({ routes: table.map(describeRoute) }, `The router serves ${table.length} routes.`);
      control.start();
      server = await startHttpServer(listener, {
        host: config.host,
        port: config.port,
        bounds: config.http,
        upgrades: true,
        clientErrorHeaders: () => ({ "x-request-id": requestIdFor(undefined) }),
      });
    },
    async stop() {
      stopping = true;
      if (config.stopping.noticeMs > 0) await delay(config.stopping.noticeMs);
      await server?.stop(config.stopping.drainMs);
      control.stop();
    },
  };
}

type ControlPlaneLink = ReturnType<typeof createControlPlaneLink>;

/** What the router knows of principals, kept true by the control plane's stream. */
function createControlPlaneLink(
  { authentication: bounds }: RouterConfig,
  { principals, telemetry }: RouterDependencies,
  clock: Clock,
) {
  let answeredAtMs = -Infinity;
  const noting =
    <Args extends unknown[], T>(ask: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      const answer = await ask(...args);
      answeredAtMs = clock.elapsedMs();
      return answer;
    };
  const tokens = new PrincipalCache({
    ask: noting(createTokenQuestion(principals, bounds.questionTimeoutMs)),
    bounds,
    clock,
  });
  const adminKeys = new PrincipalCache({
    ask: noting(createAdminKeyQuestion(principals, bounds.questionTimeoutMs)),
    // Every refused admin key is an audit event of the control plane, so it must hear of each attempt.
    bounds: { ...bounds, unknownMs: 0 },
    clock,
  });
  const caches = [tokens, adminKeys] as const;
  let watch: PrincipalWatch | undefined;
  const isWatchConnected = () => watch?.isConnected() ?? false;
  return {
    tokens,
    adminKeys,
    isWatchConnected,
    isReached: () => isWatchConnected() || clock.elapsedMs() - answeredAtMs < reachedWithinMs,
    start() {
      watch = startPrincipalWatch({
        client: principals,
        log: telemetry.log,
        onConnected: () => caches.forEach((cache) => (cache.distrust(), cache.reached())),
        onLost: () => caches.forEach((cache) => cache.distrust()),
        onInvalidated: (subject) => caches.forEach((cache) => cache.invalidate(subject)),
      });
    },
    stop: () => watch?.stop(),
  };
}

interface ListenerParts {
  readonly config: RouterConfig;
  readonly dependencies: RouterDependencies;
  readonly table: readonly Route[];
  readonly control: ControlPlaneLink;
  readonly requestIdFor: RequestIds;
  readonly readiness: () => Promise<Readiness>;
}

function composeListener({ config, dependencies, table, control, requestIdFor, readiness }: ListenerParts) {
  const { services, telemetry, gatewayLog = noGatewayLog } = dependencies;
  const { tokens, adminKeys, isWatchConnected } = control;
  const { log, tracing } = telemetry;
  const metrics = createRouterMetrics({
    registry: telemetry.metrics,
    caches: { tokens, admin_keys: adminKeys },
    isWatchConnected,
  });
  const recordUnserved = createRecordUnserved(gatewayLog);
  const turnAway = createTurnAway(recordUnserved);
  const gate = new Gate({
    authenticate: createAuthenticate({ tokens, adminKeys }),
    services,
    tracing,
    metrics,
    recordUnserved,
    log,
    bodySizeBytesMax: config.requests.bodySizeBytesMax,
    checkOrigin: createOriginCheck({ listenHost: config.host, allowedOrigins: config.allowedOrigins }),
    requestsInFlightMax: config.requests.inFlightMax,
  });
  const health = createHealthHandler({ readiness, telemetry });
  const pages = { index: createIndexPage(config.serviceName, table), healthz: health, readyz: health, metrics: health };
  return createListener({
    match: createDataMatcher(table),
    gate,
    controlLane: createControlLane({ routes: table, gate, pages, turnAway, log }),
    requestIdFor,
    metrics,
    turnAway,
    pathLengthMax: config.requests.pathLengthMax,
  });
}

/** Random, so that ids of two routers, or of one before and after a restart, do not meet. */
function newRequestIdPrefix(): string {
  return `req-${randomBytes(9).toString("hex")}-`;
}
