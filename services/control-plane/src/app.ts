import { createOutboxRelay, type OutboxRelay } from "@gatehouse/audit";
import { ChangeFeed, type Database, isAnswering, openDatabase } from "@gatehouse/database";
import { createEgressGuard, listOwnAddresses } from "@gatehouse/egress";
import type { EventTransport } from "@gatehouse/events";
import { AdminServiceDefinition } from "@gatehouse/proto/admin";
import { type GatewayLog, noGatewayLog, openProcessLog } from "@gatehouse/gateway-log";
import { PrincipalServiceDefinition } from "@gatehouse/proto/control-plane";
import { bindRpc, openRpcChannel, type RpcBinding } from "@gatehouse/rpc";
import { isReady, type Readiness, type Service } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import type { Secret } from "@gatehouse/vault";
import { createAdminKeyNotice } from "./admin-key-notice.ts";
import { Federation, type Owner } from "./clients/federation.ts";
import type { ControlPlaneConfig, ControlPlaneProcessConfig, PeerRpcConfig } from "./config.ts";
import { SubjectDelays } from "./domain/sign-in/subject-delays.ts";
import { createControlMcpHandler } from "./http/control-mcp.ts";
import { createControlMcpServer } from "./http/mcp-server.ts";
import { type JwtTrust, openJwtTrust } from "./app/jwt-trust.ts";
import { createLoginRecord } from "./app/login-record.ts";
import { SignIns } from "./app/sign-ins.ts";
import { createOperationCatalogue } from "./operations/operation-catalogue.ts";
import { operations } from "./admin/operations.ts";
import { createEndSession } from "./rpc/end-session.ts";
import { createOpenSession } from "./rpc/open-session.ts";
import { createResolveAdminKey } from "./rpc/resolve-admin-key.ts";
import { createResolveSession } from "./rpc/resolve-session.ts";
import { createListTrustedIssuers, createResolveJwt } from "./rpc/resolve-jwt.ts";
import { createResolveToken } from "./rpc/resolve-token.ts";
import { createFinishSignIn, createListSignInProviders, createStartSignIn } from "./rpc/sign-in.ts";
import { createWatchPrincipals } from "./rpc/watch-principals.ts";
import { type ControlPlaneStore, createControlPlaneStore } from "./store/control-plane-store.ts";
import { createPrincipalReader } from "./store/principals.ts";
import { Usage } from "./store/usage.ts";

export interface ControlPlaneDependencies {
  readonly telemetry: Telemetry;
  /** Where audit events go; the caller starts and stops it. */
  readonly events: EventTransport;
  /**
   * The services that own operations, in the order in which they let go of a deleted project: endpoints and upstreams before the
   * guardrails, since neither may be reachable without its policy. The caller closes what is behind them.
   */
  readonly owners: readonly Owner[];
  /** Where the outcome of each request goes; started and stopped by the caller. Nowhere when absent. */
  readonly gatewayLog?: GatewayLog;
  /**
   * Receives the admin key that is minted when no other is active, once, before it is stored; the host shows it to the operator.
   * Where it throws, the start fails and no key is made.
   */
  readonly onAdminKeyCreated: (key: Secret) => void;
  readonly now?: () => Date;
  /** Addresses of the gateway itself, where no issuer is; as the egress guard takes them. */
  readonly ownAddresses?: readonly string[];
}

const schema = "control_plane";
const migrationsFolder = new URL("../prisma/migrations", import.meta.url);

/** Projects, access tokens and admin keys: gRPC for routers, and the Control Plane over MCP for administrators. */
export function createControlPlaneService(config: ControlPlaneConfig, dependencies: ControlPlaneDependencies): Service {
  const { telemetry, events, onAdminKeyCreated } = dependencies;
  const { log, metrics } = telemetry;
  const now = dependencies.now ?? (() => new Date());
  const database = openDatabase({
    url: config.databaseUrl,
    schema,
    connectionsMax: config.databaseConnectionsMax,
    log,
  });
  const feed = new ChangeFeed(database, log);
  const relay = createOutboxRelay({ database, transport: events, service: "control-plane", log, metrics });
  const store = createControlPlaneStore(database, feed, {
    sessions: config.sessions,
    now,
    onCommitted: () => relay.wake(),
  });
  const usage = createUsages(database, log);
  const guard = createEgressGuard({ ...config.egress, ownAddresses: dependencies.ownAddresses ?? [], logger: log });
  const trust = openJwtTrust({ guard, pool: database.pool, now });
  const stopping = new AbortController();

  return {
    name: "control-plane",
    rpc: [bindPrincipalService({ config, database, store, feed, usage, trust, now, log, stopping: stopping.signal })],
    http: createHttpFace(config, { store, trust, now, dependencies }),
    async start() {
      await database.migrate(migrationsFolder);
      await store.settleAdminKeys({ key: config.adminKey, isEnabled: config.adminKeyEnabled }, onAdminKeyCreated);
      await feed.start();
      Object.values(usage).forEach((each) => each.start());
      relay.start();
    },
    endStreams: () => stopping.abort(),
    async stop() {
      stopping.abort();
      await relay.stop();
      await Promise.all(Object.values(usage).map(async (each) => await each.stop()));
      await trust.close();
      await feed.stop();
      await store.close();
      await database.close();
    },
    readiness: async () => await checkReadiness(database, relay),
  };
}

/** The same, reaching the other services over gRPC, and showing a minted admin key once. */
export function createControlPlaneProcess(config: ControlPlaneProcessConfig, telemetry: Telemetry): Service {
  const identity = { internalKey: config.host.internalKey, service: "control-plane" };
  const connect = (peer: PeerRpcConfig) => openRpcChannel({ ...peer, ...identity });
  const { peers } = config;
  const channels = {
    chat: connect(peers.chat),
    guardrail: connect(peers.guardrail),
    mcpAggregator: connect(peers.mcpAggregator),
    apiProxy: connect(peers.apiProxy),
    webhookDispatcher: connect(peers.webhookDispatcher),
    logbook: connect(peers.logbook),
  };
  const { events, spillFolder } = config;
  const { host, httpPort, rpcPort } = config.host;
  const log = openProcessLog({ events, spillFolder, service: "control-plane", telemetry });
  const service = createControlPlaneService(config, {
    telemetry,
    events: log.transport,
    gatewayLog: log.gatewayLog,
    ownAddresses: [httpPort, rpcPort].flatMap((port) => listOwnAddresses(host, port)),
    owners: [
      { name: "chat", client: channels.chat.client(AdminServiceDefinition) },
      { name: "api-proxy", client: channels.apiProxy.client(AdminServiceDefinition) },
      { name: "mcp-aggregator", client: channels.mcpAggregator.client(AdminServiceDefinition) },
      { name: "guardrail", client: channels.guardrail.client(AdminServiceDefinition) },
      { name: "webhook-dispatcher", client: channels.webhookDispatcher.client(AdminServiceDefinition) },
      { name: "logbook", client: channels.logbook.client(AdminServiceDefinition) },
    ],
    onAdminKeyCreated: createAdminKeyNotice({
      terminal: process.stdout.isTTY ? process.stdout : undefined,
      file: config.adminKeyFile,
      log: telemetry.log,
    }),
  });
  return {
    ...service,
    async start() {
      await log.start();
      await service.start();
    },
    async stop() {
      await service.stop();
      await log.stop();
      for (const channel of Object.values(channels)) channel.close();
    },
  };
}

type Usages = ReturnType<typeof createUsages>;

function createUsages({ pool }: Database, log: Telemetry["log"]) {
  return {
    tokens: new Usage("access_tokens", pool, log),
    adminKeys: new Usage("admin_keys", pool, log),
    sessions: new Usage("console_sessions", pool, log),
  };
}

interface PrincipalServiceOptions {
  readonly config: Pick<ControlPlaneConfig, "signIn">;
  readonly database: Database;
  readonly store: ControlPlaneStore;
  readonly feed: ChangeFeed;
  readonly usage: Usages;
  readonly trust: JwtTrust;
  readonly now: () => Date;
  readonly log: Telemetry["log"];
  readonly stopping: AbortSignal;
}

function bindPrincipalService(options: PrincipalServiceOptions): RpcBinding {
  const { config, database, store, feed, usage, trust, now, log, stopping } = options;
  const principals = createPrincipalReader(database.pool);
  const { audit, sessions } = store;
  const recordFailedLogin = createLoginRecord(audit, log);
  const signIns = new SignIns({
    providers: config.signIn.providers,
    publicUrl: config.signIn.publicUrl ?? "",
    client: trust.signInClient,
    sessions,
    recordFailedLogin,
    delays: new SubjectDelays(),
    now,
    log,
  });
  return bindRpc(PrincipalServiceDefinition, {
    resolveToken: createResolveToken({ principals, usage: usage.tokens, now }),
    resolveJwt: createResolveJwt({ trust: trust.reader, verifier: trust.verifier, usage: usage.tokens, now }),
    listTrustedIssuers: createListTrustedIssuers(trust.reader),
    resolveAdminKey: createResolveAdminKey({ principals, recordFailedLogin, usage: usage.adminKeys, now }),
    listSignInProviders: createListSignInProviders(signIns),
    startSignIn: createStartSignIn(signIns),
    finishSignIn: createFinishSignIn(signIns),
    openSession: createOpenSession(sessions),
    resolveSession: createResolveSession({ sessions, usage: usage.sessions, now }),
    endSession: createEndSession(sessions),
    watchPrincipals: createWatchPrincipals({ feed, stopping }),
  });
}

interface HttpFaceOptions {
  readonly store: ControlPlaneStore;
  readonly trust: JwtTrust;
  readonly now: () => Date;
  readonly dependencies: ControlPlaneDependencies;
}

function createHttpFace(config: ControlPlaneConfig, { store, trust, now, dependencies }: HttpFaceOptions) {
  const { owners, telemetry } = dependencies;
  const federation = new Federation({ owners, log: telemetry.log, now: () => performance.now() });
  const resources = {
    federation,
    projects: store.projects,
    tokens: store.tokens,
    adminKeys: store.adminKeys,
    sessions: store.sessions,
    issuers: store.issuers,
    issuerKeys: trust.keys,
    audit: store.audit,
    now,
  };
  const catalogue = createOperationCatalogue(operations, federation);
  return createControlMcpHandler({
    dispatch: createControlMcpServer({ serviceName: config.serviceName, catalogue, resources, log: telemetry.log }),
    gatewayLog: dependencies.gatewayLog ?? noGatewayLog,
    bodyBounds: { sizeBytesMax: config.bodySizeBytesMax, timeoutMs: config.bodyTimeoutMs },
    log: telemetry.log,
  });
}

async function checkReadiness(database: Database, relay: OutboxRelay): Promise<Readiness> {
  if (await isAnswering(database)) return { ...isReady, problems: relay.problems() };
  return { ready: false, problems: ["The database does not answer."] };
}
