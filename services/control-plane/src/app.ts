import { type Database, unlessSilent } from "@gatehouse/database";
import { createEgressGuard } from "@gatehouse/egress";
import { PrincipalServiceDefinition } from "@gatehouse/proto/control-plane";
import { bindRpc, type RpcBinding } from "@gatehouse/rpc";
import { createService, type OutboxKernel, type Service, type ServiceHost } from "@gatehouse/service";
import type { Telemetry } from "@gatehouse/telemetry";
import type { Secret } from "@gatehouse/vault";
import { operations } from "./admin/operations.ts";
import { ForgetSubjects } from "./app/forget-subjects.ts";
import { type JwtTrust, openJwtTrust } from "./app/jwt-trust.ts";
import { createLoginRecord } from "./app/login-record.ts";
import { SignIns } from "./app/sign-ins.ts";
import { Federation, type Owner } from "./clients/federation.ts";
import { type ServiceLink, ServiceStates } from "./clients/service-states.ts";
import type { ControlPlaneConfig } from "./config.ts";
import { SubjectDelays } from "./domain/sign-in/subject-delays.ts";
import { createControlMcpHandler } from "./http/control-mcp.ts";
import { createControlMcpServer } from "./http/mcp-server.ts";
import { createOperationCatalogue } from "./operations/operation-catalogue.ts";
import { createEndSession } from "./rpc/end-session.ts";
import { createOpenSession } from "./rpc/open-session.ts";
import { createResolveAdminKey } from "./rpc/resolve-admin-key.ts";
import { createListTrustedIssuers, createResolveJwt } from "./rpc/resolve-jwt.ts";
import { createResolveSession } from "./rpc/resolve-session.ts";
import { createResolveToken } from "./rpc/resolve-token.ts";
import { createFinishSignIn, createListSignInProviders, createStartSignIn } from "./rpc/sign-in.ts";
import { createWatchPrincipals } from "./rpc/watch-principals.ts";
import { createApplyAlone } from "./store/apply-alone.ts";
import { type ControlPlaneStore, createControlPlaneStore } from "./store/control-plane-store.ts";
import { createPrincipalReader } from "./store/principals.ts";
import { Usage } from "./store/usage.ts";

export { createAdminKeyNotice } from "./admin-key-notice.ts";

/** `ServiceHost` with the connections to the other services, opened by `controlPlaneProgram`; `wallNow` is for tests. */
export interface ControlPlaneDependencies extends ServiceHost {
  /**
   * Services that own operations, in the order in which they delete a project: endpoints and upstreams before guardrails, since
   * neither may be reachable without its policy. The caller closes their connections.
   */
  readonly owners: readonly Owner[];
  /** All services but the router and this one, for the state of the gateway. */
  readonly services: readonly ServiceLink[];
  /**
   * Receives the admin key that is generated when no other is active, before it is stored; the host shows it to the operator. If
   * it throws, the start fails and no key is created.
   */
  readonly onAdminKeyCreated: (key: Secret) => void;
  /** Epoch milliseconds. */
  readonly wallNow?: () => number;
  /** The gateway's own addresses, as the egress guard takes them; issuers there are refused. */
  readonly ownAddresses?: readonly string[];
}

const migrations = new URL("../prisma/migrations", import.meta.url);

/** Projects, access tokens and admin keys: gRPC for routers, and the Control Plane over MCP for administrators. */
export function createControlPlaneService(config: ControlPlaneConfig, host: ControlPlaneDependencies): Service {
  const database = { config, schema: "control_plane", migrations };
  return createService({ name: "control-plane", host, database, outbox: true, feed: true }, (kernel) => {
    const { log } = kernel;
    const { onAdminKeyCreated, ownAddresses = [], wallNow = Date.now } = host;
    const { pool } = kernel.database;
    const store = createControlPlaneStore(kernel, config.sessions, wallNow);
    const usage = createUsages(kernel.database, log);
    const guard = createEgressGuard({ ...config.egress, ownAddresses, logger: log });
    const trust = openJwtTrust(guard, pool, wallNow);
    const forgetting = new ForgetSubjects(store.tokens, wallNow, log);
    const stopping = new AbortController();
    const reconcileKeys = async () =>
      await store.reconcileAdminKeys({ key: config.adminKey, isEnabled: config.adminKeyEnabled }, onAdminKeyCreated);
    return {
      rpc: [bindPrincipalService({ kernel, config, store, usage, trust, wallNow, stopping: stopping.signal })],
      http: createHttpHandler({ kernel, config, store, trust, wallNow, owners: host.owners, services: host.services }),
      endStreams: () => stopping.abort(),
      parts: [
        { name: "admin keys", start: reconcileKeys },
        { name: "ended revocations", start: () => forgetting.start(), stop: async () => await forgetting.stop() },
        { name: "JWT trust", stop: () => trust.close() },
        ...Object.values(usage).map((each) => ({ name: "usage", start: () => each.start(), stop: () => each.stop() })),
        { name: "watches of principals", stop: () => stopping.abort() },
      ],
    };
  });
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
  readonly kernel: OutboxKernel;
  readonly config: Pick<ControlPlaneConfig, "signIn">;
  readonly store: ControlPlaneStore;
  readonly usage: Usages;
  readonly trust: JwtTrust;
  readonly wallNow: () => number;
  readonly stopping: AbortSignal;
}

function bindPrincipalService(options: PrincipalServiceOptions): RpcBinding {
  const { kernel, config, store, usage, trust, wallNow, stopping } = options;
  const { database, feed, log } = kernel;
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
    wallNow,
    log,
  });
  const resolveAdminKey = createResolveAdminKey(principals, recordFailedLogin, usage.adminKeys, wallNow);
  const resolveSession = createResolveSession(sessions, usage.sessions, wallNow);
  return bindRpc(PrincipalServiceDefinition, {
    resolveToken: createResolveToken(principals, usage.tokens, wallNow),
    resolveJwt: createResolveJwt(trust.reader, trust.verifier, usage.tokens, wallNow),
    listTrustedIssuers: createListTrustedIssuers(trust.reader),
    // A call of the Control Plane waits for its caller first; with both waits it is to be refused within 2 s.
    resolveAdminKey: async (request) => await unlessSilent(database, async () => await resolveAdminKey(request)),
    listSignInProviders: createListSignInProviders(signIns),
    startSignIn: createStartSignIn(signIns),
    finishSignIn: createFinishSignIn(signIns),
    openSession: createOpenSession(sessions),
    resolveSession: async (request) => await unlessSilent(database, async () => await resolveSession(request)),
    endSession: createEndSession(sessions),
    watchPrincipals: createWatchPrincipals(feed, stopping),
  });
}

interface HttpHandlerOptions {
  readonly kernel: OutboxKernel;
  readonly config: ControlPlaneConfig;
  readonly store: ControlPlaneStore;
  readonly trust: JwtTrust;
  readonly wallNow: () => number;
  readonly owners: readonly Owner[];
  readonly services: readonly ServiceLink[];
}

function createHttpHandler({ kernel, config, store, trust, wallNow, owners, services }: HttpHandlerOptions) {
  const { log, gatewayLog } = kernel;
  const federation = new Federation(owners, log, () => performance.now());
  const resources = {
    federation,
    states: new ServiceStates(services, async () => await kernel.state(), log),
    projects: store.projects,
    tokens: store.tokens,
    adminKeys: store.adminKeys,
    sessions: store.sessions,
    issuers: store.issuers,
    issuerKeys: trust.keys,
    audit: store.audit,
    answerOnce: store.answerOnce,
    applyAlone: createApplyAlone(kernel.database),
    unlessSilent: async <T>(work: () => Promise<T>) => await unlessSilent(kernel.database, work),
    wallNow,
    log,
  };
  const catalogue = createOperationCatalogue(operations, federation);
  return createControlMcpHandler(
    createControlMcpServer(config.serviceName, catalogue, resources, log),
    { sizeBytesMax: config.bodySizeBytesMax, timeoutMs: config.bodyTimeoutMs },
    gatewayLog,
    log,
  );
}
