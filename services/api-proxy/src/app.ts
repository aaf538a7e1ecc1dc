import { bindAdmin } from "@gatehouse/admin";
import { Semaphore } from "@gatehouse/async";
import { createSecretExport, isDatabaseUnavailable } from "@gatehouse/database";
import {
  createEgressDispatcher,
  createEgressGuard,
  createGuardedFetch,
  type EgressGuard,
  type ResolveHost,
} from "@gatehouse/egress";
import { isGatewayError } from "@gatehouse/errors";
import {
  BlockSummaries,
  createGuardrailClient,
  createGuardrailRecord,
  type GuardrailRpc,
} from "@gatehouse/guardrail-client";
import { decodeBody } from "@gatehouse/http";
import { createRateLimits, type LedgerClient, type RateLimits } from "@gatehouse/limits";
import type { ServiceHandler } from "@gatehouse/principal";
import { createService, type OutboxKernel, type Service, type ServiceHost } from "@gatehouse/service";
import { EndpointCatalog } from "@gatehouse/slugs";
import type { Dispatcher } from "undici";
import { operations } from "./admin/operations.ts";
import { AccessTokens } from "./app/access-tokens.ts";
import type { AskGuardrailsOptions } from "./app/ask-guardrails.ts";
import { BodyGuard } from "./app/guard-bodies.ts";
import { ReplyGuard } from "./app/guard-replies.ts";
import { createTokenEndpointClient, type TokenEndpointClient, tokenReplyBytesMax } from "./clients/token-endpoint.ts";
import type { ApiProxyConfig } from "./config.ts";
import type { CompiledEndpoint, UpstreamAddress } from "./domain/endpoint.ts";
import type { BlockedSide } from "./domain/guarded-request.ts";
import { InspectionQuota, replyQuota } from "./domain/inspection-quota.ts";
import type { TokenQuestion } from "./domain/oauth-connection.ts";
import { isInvalidGrant } from "./domain/oauth-error.ts";
import { bodyBlocked } from "./events.ts";
import { createOutcomes } from "./http/outcome.ts";
import { createProxyHandler } from "./http/proxy.ts";
import { readAccessToken, renewAccessToken } from "./store/access-tokens.ts";
import { type ApiProxyStore, type ConfigurationChange, openApiProxyStore } from "./store/api-proxy-store.ts";
import { createEndpointLoader } from "./store/endpoint-loader.ts";
import { deleteProject } from "./store/endpoints.ts";
import { sealedColumns } from "./store/seal-place.ts";

/** `ServiceHost` with the connections to chat and guardrail, opened by `apiProxyProgram`; clock and resolver are for tests. */
export interface ApiProxyDependencies extends ServiceHost {
  /** The ledger of rate limits, in this process or another; the caller closes its connection. */
  readonly ledger: LedgerClient;
  /** The guardrail service, in this process or another; the caller closes its connection. */
  readonly guardrail: GuardrailRpc;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
  /** Resolves upstreams' names; for tests without a network. */
  readonly resolve?: ResolveHost;
}

const migrations = new URL("../prisma/migrations", import.meta.url);

/** The API proxy: endpoints and OAuth connections of `api_gateway` projects, and the forwarding of requests to their upstreams. */
export function createApiProxyService(config: ApiProxyConfig, host: ApiProxyDependencies): Service {
  const { keyring } = config;
  const sealing = { keyring, columns: sealedColumns };
  const database = { config, schema: "api_proxy", migrations, sealing };
  return createService({ name: "api-proxy", host, database, outbox: true, feed: true }, (kernel) => {
    const { now = () => performance.now() } = host;
    const blocks = createBlocks(kernel);
    const store = openApiProxyStore(kernel, keyring);
    const load = createEndpointLoader(kernel.database, keyring);
    const catalog = new EndpointCatalog(load, now, isDatabaseUnavailable);
    const egress = openEgress(config, host);
    const rateLimits = createRateLimits(host.ledger, kernel.log);
    // Bounded: each renewal holds a database connection while a token endpoint works.
    const tokens = createAccessTokens(store, egress.tokenEndpoint, Math.floor(config.databaseConnectionsMax / 2));
    kernel.feed.subscribe({
      onChange: (payload) => forget(catalog, tokens, payload),
      onGap: () => [catalog, tokens].forEach((cache) => cache.expireAll()),
    });
    const context = {
      store,
      checkUrl: async (url: string, argument: string) => await egress.guard.checkToSave(url, argument),
      readUpstreamUrl: async (url: string) => await readUpstreamUrl(egress.guard, url),
      tokenEndpoint: egress.tokenEndpoint,
      wallNow: Date.now,
    };
    const admin = bindAdmin({
      operations,
      context,
      answerOnce: store.answerOnce,
      deleteProject: async (projectUuid) => await deleteProject(store, projectUuid),
      exportSecrets: createSecretExport(kernel.database, keyring, sealedColumns, kernel.log),
    });
    return {
      rpc: [admin],
      http: createHttpHandler({
        kernel,
        config,
        host,
        catalog,
        tokens,
        blocks,
        rateLimits,
        dispatcher: egress.dispatcher,
      }),
      parts: [
        { name: "rate limits", start: () => rateLimits.start(), stop: async () => await rateLimits.stop() },
        { name: "blocked bodies", stop: async () => await blocks.stop() },
        // Requests that still wait for an upstream have had the host's drain time.
        { name: "egress", stop: async () => await egress.dispatcher.destroy() },
      ],
    };
  });
}

/** Records blocked bodies in the audit log. */
function createBlocks({ audit }: OutboxKernel) {
  return new BlockSummaries<BlockedSide>({
    kindOf: ({ side, request }) => [
      side,
      request.principal.tokenId,
      request.principal.tokenName,
      request.endpoint.uuid,
    ],
    report: async (notice) => await audit.add(bodyBlocked(notice)),
    wallNow: Date.now,
  });
}

interface HttpHandlerParts {
  readonly kernel: OutboxKernel;
  readonly config: ApiProxyConfig;
  readonly host: ApiProxyDependencies;
  readonly catalog: EndpointCatalog<CompiledEndpoint>;
  readonly tokens: AccessTokens;
  readonly blocks: BlockSummaries<BlockedSide>;
  readonly rateLimits: RateLimits;
  readonly dispatcher: Dispatcher;
}

function createHttpHandler(parts: HttpHandlerParts): ServiceHandler {
  const { kernel, config, host, catalog, tokens, blocks, rateLimits, dispatcher } = parts;
  const { guardrail: rpc, now = () => performance.now() } = host;
  const { log, gatewayLog } = kernel;
  const { tracing } = kernel.telemetry;
  const client = createGuardrailClient(rpc, config.guardrailTimeoutMs, now, tracing);
  const asking: AskGuardrailsOptions = {
    client,
    record: createGuardrailRecord({
      log,
      judged: "a body",
      fieldsOf: ({ request: { requestId, principal }, side }) => ({
        request_id: requestId,
        project: principal.project.uuid,
        side,
      }),
      onBlocked: async (blocked, block) => await blocks.record(blocked, block),
    }),
    log,
  };
  return createProxyHandler({
    findEndpoint: (projectUuid, slug) => catalog.find(projectUuid, slug),
    rateLimits,
    dispatcher,
    guard: new BodyGuard(asking),
    replies: new ReplyGuard(asking, new InspectionQuota(replyQuota), decodeBody),
    tokens,
    bounds: config.proxy,
    tracing,
    openOutcome: createOutcomes(gatewayLog),
    log,
  });
}

/** Egress to addresses that tenants choose. */
function openEgress({ egress, ownAddresses, proxy }: ApiProxyConfig, { telemetry, resolve }: ApiProxyDependencies) {
  const guard = createEgressGuard({
    allow: egress.allow,
    ownAddresses,
    logger: telemetry.log,
    ...(resolve === undefined ? {} : { resolve }),
  });
  const { connectTimeoutMs, connectionsMax } = proxy;
  const dispatcher = createEgressDispatcher({ guard, connectTimeoutMs, connectionsMax });
  const fetch = createGuardedFetch(dispatcher, {
    timeoutMs: proxy.oauthTimeoutMs,
    bodySizeBytesMax: tokenReplyBytesMax,
  });
  return {
    guard,
    dispatcher,
    tokenEndpoint: createTokenEndpointClient(fetch),
  };
}

function createAccessTokens(
  store: ApiProxyStore,
  tokenEndpoint: TokenEndpointClient,
  renewalsMax: number,
): AccessTokens {
  const wallNow = Date.now;
  const ask = async (question: TokenQuestion) => await tokenEndpoint.grant(question);
  const renewals = new Semaphore(renewalsMax);
  return new AccessTokens(
    async (connectionId) => await readAccessToken(store, connectionId),
    async (connectionId, seen) =>
      await renewals.run(
        async () => await renewAccessToken(store, { connectionId, seen, ask, isInvalidGrant, wallNow }),
      ),
    { wallNow, now: () => performance.now() },
  );
}

function forget(catalog: EndpointCatalog<CompiledEndpoint>, tokens: AccessTokens, payload: string): void {
  const change = JSON.parse(payload) as ConfigurationChange;
  if (change.subject === "endpoint") catalog.forget(change);
  else tokens.forget(change.connectionId);
}

/** Only warns about a blocked address when an endpoint is saved: the contract refuses it at the call (422). */
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
