import { AuditQueue, createOutboxRelay } from "@gatehouse/audit";
import {
  ChangeFeed,
  createResealer,
  type Database,
  isAnswering,
  isDatabaseUnavailable,
  openDatabase,
} from "@gatehouse/database";
import {
  createEgressDispatcher,
  createEgressGuard,
  createGuardedFetch,
  type EgressGuard,
  type ResolveHost,
} from "@gatehouse/egress";
import { isGatewayError } from "@gatehouse/errors";
import type { EventTransport } from "@gatehouse/events";
import type { GatewayLog } from "@gatehouse/gateway-log";
import { BlockSummaries, createGuardrailClient, type GuardrailRpc } from "@gatehouse/guardrail-client";
import type { ServiceHandler } from "@gatehouse/principal";
import { isReady, type Readiness, type Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import type { Dispatcher } from "undici";
import { bindApiProxyAdmin } from "./admin/bind.ts";
import { type AllowanceClient, createAdmit } from "./clients/allowances.ts";
import { BodyGuard } from "./domain/guard-bodies.ts";
import { createTokenEndpointClient, type TokenEndpointClient } from "./clients/token-endpoint.ts";
import type { ApiProxyConfig } from "./config.ts";
import { AccessTokens } from "./domain/access-tokens.ts";
import { createAtMost } from "./domain/at-most.ts";
import type { UpstreamAddress } from "./domain/endpoint.ts";
import { EndpointCatalog } from "./domain/endpoint-catalog.ts";
import type { TokenQuestion } from "./domain/oauth-connection.ts";
import type { GuardedRequest } from "./domain/guarded-request.ts";
import { isInvalidGrant } from "./domain/oauth-error.ts";
import { guardrailBlocked } from "./events.ts";
import { createOutcomes } from "./http/outcome.ts";
import { createProxyHandler } from "./http/proxy.ts";
import { readAccessToken, renewAccessToken } from "./store/access-tokens.ts";
import { type ApiProxyStore, createApiProxyStore, parseChange } from "./store/api-proxy-store.ts";
import { createEndpointLoader } from "./store/compiled-endpoints.ts";
import { sealedColumns } from "./store/seal-place.ts";

export interface ApiProxyOverrides {
  readonly telemetry: Telemetry;
  /** Counts requests against rate limits; the caller closes what is behind it. */
  readonly allowances: AllowanceClient;
  /** The guardrail service, in this process or another; the caller closes what is behind it. */
  readonly guardrail: GuardrailRpc;
  /** Carries audit events; the caller starts and stops it. */
  readonly events: EventTransport;
  /** Takes the outcome of each request; the caller starts and stops it. */
  readonly gatewayLog: GatewayLog;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
  /** How upstreams' names are resolved; for tests without a network. */
  readonly resolve?: ResolveHost;
}

const migrations = new URL("../prisma/migrations", import.meta.url);

/** The API proxy: endpoints and OAuth connections of `api_gateway` projects, and the way of requests to their upstreams. */
export function createApiProxyService(config: ApiProxyConfig, overrides: ApiProxyOverrides): Service {
  const { telemetry, now = () => performance.now() } = overrides;
  const { log } = telemetry;
  const database = openDatabase({
    url: config.databaseUrl,
    schema: "api_proxy",
    connectionsMax: config.databaseConnectionsMax,
    log,
  });
  const changes = new ChangeFeed(database, log);
  const { events: transport } = overrides;
  const relay = createOutboxRelay({ database, transport, service: "api-proxy", log, metrics: telemetry.metrics });
  const blocked = openBlocked(new AuditQueue({ database, log, onRecorded: () => relay.wake() }));
  const { keyring } = config;
  const store = createApiProxyStore({ database, changes, keyring, onCommit: () => relay.wake() });
  const resealer = createResealer({ database, keyring, columns: sealedColumns, telemetry });
  const catalog = new EndpointCatalog({
    load: createEndpointLoader(database, keyring),
    now,
    isUnavailable: isDatabaseUnavailable,
  });
  const wayOut = openWayOut(config, overrides);
  // Each holds a database connection while a token endpoint thinks, and others need some too.
  const tokens = createAccessTokens(store, wayOut.tokenEndpoint, Math.floor(config.databaseConnectionsMax / 2));

  return {
    name: "api-proxy",
    rpc: [
      bindApiProxyAdmin({
        store,
        checkUrl: async (url) => await wayOut.guard.checkToSave(url),
        readUpstreamUrl: async (url) => await readUpstreamUrl(wayOut.guard, url),
        tokenEndpoint: wayOut.tokenEndpoint,
        now: Date.now,
      }),
    ],
    http: createHttpFace({ config, overrides, catalog, tokens, blocks: blocked.blocks, dispatcher: wayOut.dispatcher }),
    async start() {
      await database.migrate(migrations);
      changes.subscribe({
        onChange: (payload) => forget({ catalog, tokens }, payload),
        onGap: () => catalog.forgetAll(),
      });
      await changes.start();
      relay.start();
      resealer.start();
    },
    async stop() {
      await resealer.stop();
      await wayOut.close();
      await blocked.stop();
      await relay.stop();
      await changes.stop();
      await store.prisma.$disconnect();
      await database.close();
    },
    readiness: async () => await databaseReadiness(database),
  };
}

/** The way of blocked bodies into the audit log. */
function openBlocked(audit: AuditQueue) {
  const blocks = new BlockSummaries<GuardedRequest>({
    kindOf: ({ principal, endpoint }) => [principal.tokenId, principal.tokenName, endpoint.uuid],
    tell: async (notice) => await audit.add(guardrailBlocked(notice)),
    now: Date.now,
  });
  return {
    blocks,
    async stop() {
      await blocks.stop();
      await audit.stop();
    },
  };
}

interface HttpFaceParts {
  readonly config: ApiProxyConfig;
  readonly overrides: ApiProxyOverrides;
  readonly catalog: EndpointCatalog;
  readonly tokens: AccessTokens;
  readonly blocks: BlockSummaries<GuardedRequest>;
  readonly dispatcher: Dispatcher;
}

function createHttpFace({ config, overrides, catalog, tokens, blocks, dispatcher }: HttpFaceParts): ServiceHandler {
  const { telemetry, allowances, gatewayLog, guardrail: rpc, now = () => performance.now() } = overrides;
  const { log, tracing } = telemetry;
  const client = createGuardrailClient({ rpc, timeoutMs: config.guardrailTimeoutMs, now, tracing });
  return createProxyHandler({
    findEndpoint: (projectUuid, slug) => catalog.find(projectUuid, slug),
    admit: createAdmit(allowances, config.proxy.allowanceTimeoutMs),
    dispatcher,
    guard: new BodyGuard({ client, noteBlocked: async (request, block) => await blocks.note(request, block), log }),
    tokens,
    bounds: config.proxy,
    tracing: telemetry.tracing,
    openOutcome: createOutcomes(gatewayLog),
    log: telemetry.log,
  });
}

/** Everything that leads to addresses which tenants choose. */
function openWayOut({ egress, ownAddresses, proxy }: ApiProxyConfig, { telemetry, resolve }: ApiProxyOverrides) {
  const guard = createEgressGuard({
    allow: egress.allow,
    ownAddresses,
    logger: telemetry.log,
    ...(resolve === undefined ? {} : { resolve }),
  });
  const { connectTimeoutMs, connectionsMax } = proxy;
  const dispatcher = createEgressDispatcher({ guard, connectTimeoutMs, connectionsMax });
  const fetch = createGuardedFetch(dispatcher, { timeoutMs: proxy.oauthTimeoutMs });
  return {
    guard,
    dispatcher,
    tokenEndpoint: createTokenEndpointClient(fetch),
    // Whoever still waits for an upstream by now has had the host's bound of time.
    close: async () => await dispatcher.destroy(),
  };
}

function createAccessTokens(
  store: ApiProxyStore,
  tokenEndpoint: TokenEndpointClient,
  renewalsMax: number,
): AccessTokens {
  const now = Date.now;
  const ask = async (question: TokenQuestion) => await tokenEndpoint.grant(question);
  const atMost = createAtMost(renewalsMax);
  return new AccessTokens({
    read: async (connectionId) => await readAccessToken(store, connectionId),
    renew: async (connectionId, seen) =>
      await atMost(async () => await renewAccessToken(store, { connectionId, seen, ask, isInvalidGrant, now })),
    now,
  });
}

interface Caches {
  readonly catalog: EndpointCatalog;
  readonly tokens: AccessTokens;
}

function forget({ catalog, tokens }: Caches, payload: string): void {
  const change = parseChange(payload);
  if (change.subject === "endpoint") catalog.forget(change);
  else tokens.forget(change.connectionId);
}

async function databaseReadiness(database: Database): Promise<Readiness> {
  if (await isAnswering(database)) return isReady;
  return { ready: false, problems: ["the database is not available"] };
}

/** The contract answers a blocked upstream where it is called (422), so an endpoint may name one, and its maker is warned. */
async function readUpstreamUrl(guard: EgressGuard, text: string): Promise<UpstreamAddress> {
  const url = guard.readForm(text).href;
  try {
    await guard.checkToSave(text);
    return { url };
  } catch (err) {
    if (!isGatewayError(err) || err.code !== "ssrf_blocked") throw err;
    const detail = err.details["detail"];
    return { url, warning: `${err.message} ${typeof detail === "string" ? detail : ""}`.trim() };
  }
}
