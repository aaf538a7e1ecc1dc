import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { noGatewayLog } from "@gatehouse/gateway-log";
import type { HttpServerOptions, ListeningSocket, SharedPort } from "@gatehouse/http";
import type { ServiceHandler } from "@gatehouse/principal";
import {
  cacheReadiness,
  readinessOf,
  createHealthHandler,
  createService,
  nestedReportTimeoutMs,
  type Part,
  type Readiness,
  type Service,
  type ServiceHost,
} from "@gatehouse/service";
import { createAuthenticate } from "./app/authenticate.ts";
import { type ControlPlaneLink, createControlPlaneLink } from "./app/control-plane-link.ts";
import { type Clock, systemClock } from "./app/principal-cache.ts";
import { type PrincipalsClient, subjectsOf } from "./clients/principals.ts";
import { createSessionKeeper, createSignInService } from "./clients/session-keeper.ts";
import type { RouterConfig } from "./config.ts";
import { BodyRateLimiter } from "./domain/body-rate-limiter.ts";
import { type ClientOf, createClientOf } from "./domain/client.ts";
import { type CredentialGuard, GuessDelays, LookupBudget } from "./domain/credential-guard.ts";
import { createCrossOrigin } from "./domain/cross-origin.ts";
import { FairShareLimiter } from "./domain/fair-share-limiter.ts";
import { createOriginCheck } from "./domain/origin-check.ts";
import { createRequestIds, type RequestIds } from "./domain/request-id.ts";
import { createDataMatcher, dataPathPrefix } from "./domain/route-matcher.ts";
import { assertRouteTable, describeRoute, type Route, routes, type ServiceName } from "./domain/route-table.ts";
import type { TrustedIssuers } from "./domain/trusted-issuers.ts";
import { UnauthenticatedSample } from "./domain/unauthenticated-sample.ts";
import { AnonymousSockets } from "./http/anonymous-sockets.ts";
import { BodyAdmissionQueue } from "./http/body-admission-queue.ts";
import { BodyAdmission } from "./http/body-admission.ts";
import { BodyScheduler } from "./http/body-scheduler.ts";
import { readConsoleFiles } from "./http/console-files.ts";
import { createConsolePage } from "./http/console-page.ts";
import { createConsoleSessions } from "./http/console-sessions.ts";
import { createControlPlaneListener } from "./http/control-plane-listener.ts";
import { createIndexPage } from "./http/index-page.ts";
import { introduceRouter } from "./http/introduce-router.ts";
import { createListener } from "./http/listener.ts";
import { createResourcePage, createResourcePresence } from "./http/oauth-resource.ts";
import { OpenRequests } from "./http/open-requests.ts";
import { ClientPort, OperationsPort } from "./http/ports.ts";
import { createReject, type Reject } from "./http/reject.ts";
import { RequestDispatcher } from "./http/request-dispatcher.ts";
import { createSignInPages } from "./http/sign-in-pages.ts";
import { SignIns } from "./http/sign-in.ts";
import { createUnauthenticatedRecord } from "./http/unauthenticated-record.ts";
import { createRouterMetrics } from "./metrics.ts";

export { checkPorts, toOperationsPortError } from "./http/check-ports.ts";

/** Bounds on what unauthenticated requests of all addresses write to the gateway log in a minute. */
const unauthenticatedLogBounds = { recordedMax: 1_000, addressesMax: 10_000, namedMax: 100 };

/**
 * Connections that each address may have before it has shown a credential, even where the total is small: browsers open several.
 */
const anonymousSocketsMin = 16;

/** Report of a router that has lost the control plane: a notice while it serves known tokens, so that balancers keep it. */
const notReached = "control-plane: not reached";

/** Host, connections to the services and, in tests, clocks, routes and request ids. */
export interface RouterDependencies extends ServiceHost, Partial<Clock> {
  readonly principals: PrincipalsClient;
  /** Services in this process, or behind `createRemoteHandler` or `createProxiedHandler`; the router treats all alike. */
  readonly services: Readonly<Record<Exclude<ServiceName, "router" | "sessions">, ServiceHandler>>;
  /** Present where the connections to the services have a lifetime. */
  readonly parts?: readonly Part[];
  readonly consoleFolder?: string;
  readonly servicesReadiness: () => Promise<Readiness>;
  /** Present where other processes listen on the port of clients as well. */
  readonly sharedPort?: SharedPort;
  readonly routes?: readonly Route[];
  readonly requestIdPrefix?: string;
}

/** The router opens its own port: it is what clients see, so no other server stands before it. */
export interface RouterService extends Service {
  readonly port: () => number;
  /** Port of `/readyz` and `/metrics`; 0 before the start. */
  readonly operationsPort: () => number;
  /** Socket of the port of clients, for a process that takes it over. */
  readonly socket: () => ListeningSocket | undefined;
}

/** @throws Error when the route table has a fault (see `assertRouteTable`) */
export function createRouterService(config: RouterConfig, dependencies: RouterDependencies): RouterService {
  const { telemetry, routes: table = routes, requestIdPrefix = newRequestIdPrefix() } = dependencies;
  const { now, wallNow } = { ...systemClock, ...dependencies };
  const clock = { now, wallNow };
  assertRouteTable(table);
  const openRequests = new OpenRequests(subjectsOf);
  const control = createControlPlaneLink({
    bounds: config.authentication,
    client: dependencies.principals,
    log: telemetry.log,
    clock,
    onInvalidated: (subject) => openRequests.invalidate(subject),
  });
  const requestIdFor = createRequestIds(requestIdPrefix);
  const readiness = readinessOf({ readiness: async () => await service.readiness() }, () => port.isOpen);
  const parts = { config, dependencies, table, control, requestIdFor, readiness, openRequests, clock };
  const listening = composeListener(parts);
  const operationsPort = new OperationsPort(config, listening.health);
  const server = serverOptionsOf(parts, listening);
  const port = new ClientPort({
    listener: listening.listener,
    server,
    stopping: config.stopping,
    openRequests,
    onOpened: (opened) =>
      telemetry.log.info({ port: opened, operations_port: operationsPort.port }, "The router is ready."),
  });
  const link: Part = {
    name: "control-plane",
    start: () => control.start(),
    stop: () => control.stop(),
    problems: () => (control.contact() === "lost" ? [notReached] : []),
    notices: () => (control.contact() === "memory" ? [notReached] : []),
  };
  const service: Service = createService({ name: "router", host: dependencies }, () => {
    telemetry.log.info({ routes: table.map(describeRoute) }, `The router serves ${table.length} routes.`);
    return {
      parts: [
        operationsPort,
        ...(dependencies.parts ?? []),
        link,
        reportServices(dependencies),
        listening.unauthenticated,
        { name: "open requests", start: () => openRequests.start(), stop: () => openRequests.stop() },
      ],
      ports: [port],
    };
  });
  return {
    ...service,
    readiness,
    port: () => port.server?.port ?? 0,
    operationsPort: () => operationsPort.port,
    socket: () => port.server?.socket,
  };
}

function serverOptionsOf(
  { config, dependencies, requestIdFor }: ListenerParts,
  listening: ReturnType<typeof composeListener>,
): HttpServerOptions {
  const { host, port, http: bounds } = config;
  const { sharedPort: shared } = dependencies;
  const { admitConnection, onSlowReader } = listening;
  const clientErrorHeaders = () => ({ "x-request-id": requestIdFor(undefined) });
  const takesPlain = (url: string) => url.startsWith(dataPathPrefix);
  const options = { host, port, bounds, upgrades: true, clientErrorHeaders, takesPlain, admitConnection, onSlowReader };
  return shared === undefined ? options : { ...options, shared };
}

/** Readiness of the services, read at most once a second: `/readyz` may be polled often. */
function reportServices({ servicesReadiness }: RouterDependencies): Part {
  const read = cacheReadiness(servicesReadiness);
  return {
    name: "services",
    // In one process with the services, their own reports must end within this bound.
    reportTimeoutMs: nestedReportTimeoutMs,
    async problems() {
      const { ready, problems } = await read();
      return ready ? [] : problems;
    },
    async notices() {
      const { ready, problems } = await read();
      return ready ? problems : [];
    },
  };
}

interface ListenerParts {
  readonly config: RouterConfig;
  readonly dependencies: RouterDependencies;
  readonly table: readonly Route[];
  readonly control: ControlPlaneLink;
  readonly requestIdFor: RequestIds;
  readonly readiness: () => Promise<Readiness>;
  readonly openRequests: OpenRequests;
  readonly clock: Clock;
}

function composeListener(parts: ListenerParts) {
  const { config, dependencies, table, control, requestIdFor, readiness, openRequests, clock } = parts;
  const { telemetry, gatewayLog = noGatewayLog } = dependencies;
  const { tokens, adminKeys, sessions, jwts, issuers, isWatchConnected } = control;
  const { shares: bounds, bodyRates, bodySizeBytesMax, pathLengthMax } = config.requests;
  const shares = new FairShareLimiter(bounds);
  const credentialGuards = createCredentialGuards(config, clock);
  const metrics = createRouterMetrics({
    registry: telemetry.metrics,
    caches: { tokens, admin_keys: adminKeys, sessions, jwts: jwts.cache },
    isWatchConnected,
    shares,
    credentialGuards,
  });
  const perAddressMax = config.unauthenticated.logEntriesPerMinute;
  const sample = new UnauthenticatedSample({ ...unauthenticatedLogBounds, perAddressMax });
  const unauthenticated = createUnauthenticatedRecord(gatewayLog, sample, requestIdFor);
  const clientOf = createClientOf(config.trustedProxies);
  const reject = createReject(unauthenticated.recordUnserved, clientOf);
  const anonymousSockets = createAnonymousSockets(config);
  const health = createHealthHandler(readiness, telemetry);
  const { log, tracing } = telemetry;
  const { signIns, consoleSessions } = composeSessions(parts);
  const bodyQueue = new BodyAdmissionQueue(new BodyRateLimiter(bodyRates), clock.now);
  const bodies = new BodyAdmission(bodyQueue, new BodyScheduler(), metrics);
  const dispatcher = new RequestDispatcher({
    authenticate: createAuthenticate({ tokens, adminKeys, sessions, jwts, credentialGuards }),
    authenticateAgain: createAuthenticate({ tokens, adminKeys, sessions, jwts }),
    signIns,
    services: { ...introduceRouter(dependencies.services), router: health, sessions: consoleSessions },
    tracing,
    metrics,
    recordUnserved: unauthenticated.recordUnserved,
    log,
    bodySizeBytesMax,
    checkOrigin: createOriginCheck(config.host, ownAndAllowedOrigins(config)),
    clientOf,
    issuers,
    publicUrl: config.publicUrl,
    shares,
    bodies,
    openRequests,
    anonymousSockets,
  });
  const page = { config, dependencies, table, health, reject, issuers, clientOf };
  const pages = composePages({ ...page, guard: credentialGuards.admin_key });
  const isThere = { oauth_resource: createResourcePresence(issuers) };
  const controlPlane = createControlPlaneListener({ routes: table, dispatcher, pages, isThere, reject, log });
  const planes = { match: createDataMatcher(table), dispatcher, controlPlane };
  const crossOrigin = createCrossOrigin(config.allowedOrigins);
  return {
    listener: createListener({ ...planes, requestIdFor, metrics, reject, pathLengthMax, crossOrigin }),
    health: (req: IncomingMessage, res: ServerResponse) => void health(req, res).catch(() => res.destroy()),
    unauthenticated,
    admitConnection: (socket: Socket) => anonymousSockets.admit(socket),
    onSlowReader: () => metrics.slowReader(),
  };
}

interface PageParts extends Pick<ListenerParts, "config" | "dependencies" | "table"> {
  readonly health: ReturnType<typeof createHealthHandler>;
  readonly reject: Reject;
  readonly issuers: TrustedIssuers;
  readonly clientOf: ClientOf;
  /** Guard of sign-ins. */
  readonly guard: CredentialGuard;
}

function composePages(parts: PageParts) {
  const { config, dependencies, table, health, reject, issuers, clientOf, guard } = parts;
  const { serviceName, publicUrl, traceUrlTemplate, authentication } = config;
  const { consoleFolder, telemetry } = dependencies;
  const signInService = createSignInService(dependencies.principals, authentication.questionTimeoutMs);
  const files = consoleFolder === undefined ? undefined : readConsoleFiles(consoleFolder);
  if (files === undefined && consoleFolder !== undefined)
    telemetry.log.warn({ folder: consoleFolder }, "The folder has no built console: /console is answered with 404.");
  return {
    index: createIndexPage(serviceName, table),
    healthz: health,
    console: createConsolePage(files, serviceName, traceUrlTemplate, reject),
    oauth_resource: createResourcePage(issuers, clientOf, publicUrl),
    ...createSignInPages({ signInService, publicUrl, clientOf, guard, reject, log: telemetry.log }),
  };
}

/** Includes the public origin: behind a proxy, the `Host` header may differ from the address that browsers call. */
function ownAndAllowedOrigins({ allowedOrigins, publicUrl }: RouterConfig): readonly string[] {
  return publicUrl === undefined ? allowedOrigins : [...allowedOrigins, publicUrl];
}

function createAnonymousSockets({ requests, trustedProxies: proxies }: RouterConfig): AnonymousSockets {
  return new AnonymousSockets(Math.max(anonymousSocketsMin, requests.shares.addressRequestsInFlight), proxies);
}

function createCredentialGuards({ unauthenticated }: RouterConfig, clock: Clock) {
  return {
    token: new LookupBudget(unauthenticated.lookupsPerMinute, clock.now),
    admin_key: new GuessDelays(clock.now),
    session: new LookupBudget(unauthenticated.lookupsPerMinute, clock.now),
  };
}

function composeSessions({ config, dependencies, control }: ListenerParts) {
  const signIns = new SignIns();
  const { questionTimeoutMs } = config.authentication;
  const forget = (subject: string) => control.forget(subject);
  const keeper = createSessionKeeper(dependencies.principals, questionTimeoutMs, forget);
  const consoleSessions = createConsoleSessions(keeper, signIns, config.publicUrl);
  return { signIns, consoleSessions };
}

/** Random, so that ids of two routers, or of one router before and after a restart, do not collide. */
function newRequestIdPrefix(): string {
  return `req-${randomBytes(9).toString("hex")}-`;
}
