import { randomBytes } from "node:crypto";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type GatewayLog, noGatewayLog } from "@gatehouse/gateway-log";
import { type HttpServer, type ListeningSocket, type SharedPort, startHttpServer } from "@gatehouse/http";
import type { ServiceHandler } from "@gatehouse/principal";
import { cacheReadiness, createHealthHandler, type Readiness, type Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import { type ControlPlaneLink, createControlPlaneLink } from "./clients/control-plane-link.ts";
import { type PrincipalsClient, subjectsOf } from "./clients/principals.ts";
import { createSessionKeeper, createSignInDesk } from "./clients/session-keeper.ts";
import type { RouterConfig } from "./config.ts";
import { BodyAllowance } from "./domain/body-allowance.ts";
import { createAuthenticate } from "./domain/authenticate.ts";
import { type ClientOf, createClientOf } from "./domain/client.ts";
import { type Clock, systemClock } from "./domain/principal-cache.ts";
import { type CredentialGuard, GuessDelays, LookupBudget } from "./domain/credential-guard.ts";
import { createCrossOrigin } from "./domain/cross-origin.ts";
import { createOriginCheck } from "./domain/origin-check.ts";
import { createRequestIds, type RequestIds } from "./domain/request-id.ts";
import { createDataMatcher } from "./domain/route-matcher.ts";
import { assertRouteTable, describeRoute, type Route, routes, type ServiceName } from "./domain/route-table.ts";
import { Shares } from "./domain/shares.ts";
import type { TrustedIssuers } from "./domain/trusted-issuers.ts";
import { StrangerSample } from "./domain/stranger-sample.ts";
import { AnonymousSockets } from "./http/anonymous-sockets.ts";
import { readConsoleFiles } from "./http/console-files.ts";
import { createConsolePage } from "./http/console-page.ts";
import { BodyGate } from "./http/body-gate.ts";
import { BodyLine } from "./http/body-line.ts";
import { BodyTurns } from "./http/body-turns.ts";
import { createConsoleSessions } from "./http/console-sessions.ts";
import { createControlPlaneListener } from "./http/control-plane-listener.ts";
import { Gate } from "./http/gate.ts";
import { createIndexPage } from "./http/index-page.ts";
import { createListener } from "./http/listener.ts";
import { OpenRequests } from "./http/open-requests.ts";
import { OperationsPortError } from "./http/check-ports.ts";
import { createStrangerRecord } from "./http/request-record.ts";
import { createResourcePage, createResourcePresence } from "./http/oauth-resource.ts";
import { SignIns } from "./http/sign-in.ts";
import { createSignInPages } from "./http/sign-in-pages.ts";
import { createReject, type Reject } from "./http/reject.ts";
import { createRouterMetrics } from "./metrics.ts";

export { checkPorts } from "./http/check-ports.ts";
export { OperationsPortError } from "./http/check-ports.ts";

/** Bounds on what strangers of all addresses write to the gateway log in a minute. */
const strangerLogBounds = { recordedMax: 1_000, addressesMax: 10_000, namedMax: 100 };

/** Connections that each address may have before it has shown a credential, however small the whole is: browsers open several. */
const anonymousSocketsMin = 16;

export interface RouterDependencies {
  readonly principals: PrincipalsClient;
  /** Each in this process, or behind `createRemoteHandler` or `createProxiedHandler`: the router cannot tell. */
  readonly services: Readonly<Record<Exclude<ServiceName, "router" | "sessions">, ServiceHandler>>;
  readonly telemetry: Telemetry;
  /** Where the outcome of each request goes that no service answers; started and stopped by the caller. Nowhere when absent. */
  readonly gatewayLog?: GatewayLog;
  /** Folder of the built console; absent where it is not served here. */
  readonly consoleFolder?: string;
  /** Whether the services behind can do their work. */
  readonly servicesReadiness: () => Promise<Readiness>;
  /** Where other processes listen on the port of clients too. */
  readonly sharedPort?: SharedPort;
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
  /** The port of `/readyz` and `/metrics`; 0 before the start. */
  readonly operationsPort: () => number;
  /** The socket of the port of clients, for a process that takes it over. */
  readonly socket: () => ListeningSocket | undefined;
}

/** @throws Error when the route table is not safe to serve. */
export function createRouterService(
  config: RouterConfig,
  dependencies: RouterDependencies,
  overrides: RouterOverrides = {},
): RouterService {
  const { clock = systemClock, routes: table = routes, requestIdPrefix = newRequestIdPrefix() } = overrides;
  const { telemetry } = dependencies;
  assertRouteTable(table);
  const openRequests = new OpenRequests({ subjectsOf });
  const control = createControlPlaneLink({
    bounds: config.authentication,
    client: dependencies.principals,
    log: telemetry.log,
    clock,
    onInvalidated: (subject) => openRequests.invalidate(subject),
  });
  const requestIdFor = createRequestIds(requestIdPrefix);
  let [server, operations]: [HttpServer | undefined, HttpServer | undefined] = [undefined, undefined];
  let stopping = false;

  const whole = readinessOf(control, dependencies);
  const readiness = async (): Promise<Readiness> =>
    stopping ? { ready: false, problems: ["router: stopping"] } : await whole();

  const parts = { config, dependencies, table, control, requestIdFor, readiness, openRequests, clock };
  const face = composeFace(parts);
  return {
    name: "router",
    rpc: [],
    port: () => server?.port ?? 0,
    operationsPort: () => operations?.port ?? 0,
    socket: () => server?.socket,
    readiness,
    async start() {
      telemetry.log.info({ routes: table.map(describeRoute) }, `The router serves ${table.length} routes.`);
      control.start();
      operations = await startOperations(config, face.health);
      server = await startHttpServer(
        closingOnStop(face.listener, () => stopping),
        serverOptionsOf(parts, face),
      );
      face.strangers.start();
      openRequests.start();
    },
    async stop() {
      stopping = true;
      if (config.stopping.noticeMs > 0) await delay(config.stopping.noticeMs);
      await drain(server, config.stopping, openRequests);
      openRequests.stop();
      face.strangers.stop();
      control.stop();
      await operations?.stop(0);
    },
  };
}

function serverOptionsOf({ config, dependencies, requestIdFor }: FaceParts, face: ReturnType<typeof composeFace>) {
  const { host, port, http: bounds } = config;
  const { sharedPort: shared } = dependencies;
  const { admitConnection, onSlowReader } = face;
  const clientErrorHeaders = () => ({ "x-request-id": requestIdFor(undefined) });
  const options = { host, port, bounds, upgrades: true, clientErrorHeaders, admitConnection, onSlowReader };
  return shared === undefined ? options : { ...options, shared };
}

/** On a new connection a client's next request may find another router; on this one it would find the port closed. */
function closingOnStop(listener: RequestListener, isStopping: () => boolean): RequestListener {
  return (req, res) => {
    if (isStopping()) res.setHeader("connection", "close");
    listener(req, res);
  };
}

/** How long before its connection is cut off a stream that outlasts the drain gets its last event. */
const lastWordsMs = 250;

async function drain(
  server: HttpServer | undefined,
  { noticeMs, drainMs }: RouterConfig["stopping"],
  openRequests: OpenRequests,
): Promise<void> {
  const lastWords = setTimeout(() => openRequests.endStreams(), Math.max(0, drainMs - lastWordsMs));
  // A client that has not used its connection since the notice may be about to.
  await server?.stop(drainMs, noticeMs);
  clearTimeout(lastWords);
}

function readinessOf(control: ControlPlaneLink, dependencies: RouterDependencies): () => Promise<Readiness> {
  const ofServices = cacheReadiness(dependencies.servicesReadiness);
  return async () => {
    const services = await ofServices();
    const problems = control.isReached() ? services.problems : ["control-plane: not reached", ...services.problems];
    return { ready: services.ready && control.isReached(), problems };
  };
}

/** @throws OperationsPortError that names the setting. */
async function startOperations({ operations, http }: RouterConfig, health: RequestListener): Promise<HttpServer> {
  try {
    return await startHttpServer(health, { ...operations, bounds: http });
  } catch (cause) {
    throw OperationsPortError.of(operations.port, cause);
  }
}

interface FaceParts {
  readonly config: RouterConfig;
  readonly dependencies: RouterDependencies;
  readonly table: readonly Route[];
  readonly control: ControlPlaneLink;
  readonly requestIdFor: RequestIds;
  readonly readiness: () => Promise<Readiness>;
  readonly openRequests: OpenRequests;
  readonly clock: Clock;
}

/** The listeners behind the two ports. */
function composeFace(parts: FaceParts) {
  const { config, dependencies, table, control, requestIdFor, readiness, openRequests, clock } = parts;
  const { telemetry, gatewayLog = noGatewayLog } = dependencies;
  const { tokens, adminKeys, sessions, jwts, issuers, isWatchConnected } = control;
  const { shares: bounds, bodyRates, bodySizeBytesMax, pathLengthMax } = config.requests;
  const shares = new Shares(bounds);
  const credentialGuards = createCredentialGuards(config, clock);
  const metrics = createRouterMetrics({
    registry: telemetry.metrics,
    caches: { tokens, admin_keys: adminKeys, sessions, jwts: jwts.cache },
    isWatchConnected,
    shares,
    credentialGuards,
  });
  const sample = new StrangerSample({ ...strangerLogBounds, perAddressMax: config.strangers.logEntriesPerMinute });
  const strangers = createStrangerRecord({ gatewayLog, sample, requestIdFor });
  const clientOf = createClientOf(config.trustedProxies);
  const reject = createReject(strangers.recordUnserved, clientOf);
  const anonymousSockets = createAnonymousSockets(config);
  const health = createHealthHandler({ readiness, telemetry });
  const { log, tracing } = telemetry;
  const { signIns, consoleSessions } = composeSessions(parts);
  const gate = new Gate({
    authenticate: createAuthenticate({ tokens, adminKeys, sessions, jwts, credentialGuards }),
    authenticateAgain: createAuthenticate({ tokens, adminKeys, sessions, jwts }),
    signIns,
    services: { ...dependencies.services, router: health, sessions: consoleSessions },
    tracing,
    metrics,
    recordUnserved: strangers.recordUnserved,
    log,
    bodySizeBytesMax,
    checkOrigin: createOriginCheck({ listenHost: config.host, allowedOrigins: ownAndAllowedOrigins(config) }),
    clientOf,
    issuers,
    publicUrl: config.publicUrl,
    shares,
    bodies: new BodyGate({
      line: new BodyLine({ allowance: new BodyAllowance(bodyRates), elapsedMs: clock.elapsedMs }),
      turns: new BodyTurns(),
      metrics,
    }),
    openRequests,
    anonymousSockets,
  });
  const page = { config, dependencies, table, health, reject, issuers, clientOf };
  const pages = composePages({ ...page, guard: credentialGuards.admin_key });
  const isThere = { oauth_resource: createResourcePresence(issuers) };
  const controlPlane = createControlPlaneListener({ routes: table, gate, pages, isThere, reject, log });
  const match = createDataMatcher(table);
  const crossOrigin = createCrossOrigin(config.allowedOrigins);
  return {
    listener: createListener({ match, gate, controlPlane, requestIdFor, metrics, reject, pathLengthMax, crossOrigin }),
    health: (req: IncomingMessage, res: ServerResponse) => void health(req, res).catch(() => res.destroy()),
    strangers,
    admitConnection: (socket: Socket) => anonymousSockets.admit(socket),
    onSlowReader: () => metrics.slowReader(),
  };
}

interface PageParts extends Pick<FaceParts, "config" | "dependencies" | "table"> {
  readonly health: ReturnType<typeof createHealthHandler>;
  readonly reject: Reject;
  readonly issuers: TrustedIssuers;
  readonly clientOf: ClientOf;
  /** Stands before sign-ins. */
  readonly guard: CredentialGuard;
}

/** Pages that the router answers itself, for anyone. */
function composePages(parts: PageParts) {
  const { config, dependencies, table, health, reject, issuers, clientOf, guard } = parts;
  const { serviceName, publicUrl, traceUrlTemplate, authentication } = config;
  const { consoleFolder, telemetry } = dependencies;
  const desk = createSignInDesk({ client: dependencies.principals, timeoutMs: authentication.questionTimeoutMs });
  const files = consoleFolder === undefined ? undefined : readConsoleFiles(consoleFolder);
  return {
    index: createIndexPage(serviceName, table),
    healthz: health,
    console: createConsolePage({ files, serviceName, traceUrlTemplate, reject }),
    oauth_resource: createResourcePage(issuers, clientOf, publicUrl),
    ...createSignInPages({ desk, publicUrl, clientOf, guard, reject, log: telemetry.log }),
  };
}

/** A proxy may send on another host than the one that browsers call. */
function ownAndAllowedOrigins({ allowedOrigins, publicUrl }: RouterConfig): readonly string[] {
  return publicUrl === undefined ? allowedOrigins : [...allowedOrigins, publicUrl];
}

function createAnonymousSockets({ requests, trustedProxies: proxies }: RouterConfig): AnonymousSockets {
  return new AnonymousSockets({
    perAddressMax: Math.max(anonymousSocketsMin, requests.shares.addressRequestsInFlight),
    proxies,
  });
}

function createCredentialGuards({ strangers }: RouterConfig, clock: Clock) {
  return {
    token: new LookupBudget(strangers.lookupsPerMinute, clock.elapsedMs),
    admin_key: new GuessDelays(clock.elapsedMs),
    session: new LookupBudget(strangers.lookupsPerMinute, clock.elapsedMs),
  };
}

function composeSessions({ config, dependencies, control }: FaceParts) {
  const signIns = new SignIns();
  const keeper = createSessionKeeper({
    client: dependencies.principals,
    timeoutMs: config.authentication.questionTimeoutMs,
    forget: (subject) => control.forget(subject),
  });
  const consoleSessions = createConsoleSessions({ keeper, signIns, publicUrl: config.publicUrl });
  return { signIns, consoleSessions };
}

/** Random, so that ids of two routers, or of one before and after a restart, do not meet. */
function newRequestIdPrefix(): string {
  return `req-${randomBytes(9).toString("hex")}-`;
}
