import { toGatewayError } from "@gatehouse/errors";
import { HealthDefinition } from "@gatehouse/proto/health";
import { HotStreamServiceDefinition } from "@gatehouse/proto/hot-stream";
import { type Logger, type Tracing, untraced } from "@gatehouse/telemetry";
import { isAllowedCaller, type ServiceName, type ServiceTls, type ServiceTrust } from "@gatehouse/trust";
import { type CallContext, createServer, type ServerMiddlewareCall, ServerError, Status } from "nice-grpc";
import type { Registry } from "prom-client";
import { messageBytesMax, type RpcBinding } from "./binding.ts";
import { isAbortError, logFailure, toServerError } from "./error-mapping.ts";
import { createHealthService } from "./health-service.ts";
import { createHotService, type PeerCallCheck } from "./hot/hot-service.ts";
import { observeBindings } from "./rpc-metrics.ts";
import { recordPeerService, peerServiceOf, RpcServerCredentials } from "./rpc-tls.ts";
import { traceBindings } from "./rpc-tracing.ts";
import {
  type CallerReader,
  type CallerRule,
  createCallerReader,
  identityMetadataKey,
  rpcServiceOf,
} from "./service-identity.ts";

/** Address, services and trust of one gRPC server. */
export interface RpcServerOptions {
  readonly bindings: readonly RpcBinding[];
  /** Public keys of accepted services; a call without a permitted identity is refused. */
  readonly trust: ServiceTrust;
  /** Present: connections use TLS, and a caller's certificate must match its identity. */
  readonly tls?: ServiceTls | undefined;
  /** Services that may call each gRPC service; absent: the table of `packages/trust`. */
  readonly isAllowedCaller?: CallerRule;
  readonly log: Logger;
  readonly metrics?: Registry;
  /** Records a span for each call of a trace; absent: no spans. */
  readonly tracing?: Tracing;
  /** `host:port`; port 0 picks a free one. */
  readonly address: string;
}

/** Listening gRPC server, from {@link startRpcServer}. */
export interface RpcServer {
  readonly port: number;
  /** Asks callers to use other processes; calls are still accepted. */
  readonly announceStop: () => void;
  /** Refuses new calls, lets those in flight finish within the bound, then ends them. */
  readonly stop: (drainMs: number) => Promise<void>;
}

/** Resolves once it listens. @throws Error with the platform's `code` where the address is not available. */
export async function startRpcServer(options: RpcServerOptions): Promise<RpcServer> {
  const { trust, tls, log, metrics, tracing = untraced, address } = options;
  const traced = traceBindings(options.bindings, tracing);
  const bindings = metrics === undefined ? traced : observeBindings(traced, metrics);
  const isAllowed = options.isAllowedCaller ?? isAllowedCaller;
  const readCaller = createCallerReader(trust);
  const interceptors = tls === undefined ? [] : [recordPeerService];
  const isRightPeer: PeerRule = (caller, peer) => tls === undefined || caller === peer;
  const server = createServer({ "grpc.max_receive_message_length": messageBytesMax, interceptors })
    .use((call, context) => authenticated(call, context, { readCaller, isAllowed, isRightPeer }))
    .use((call, context) => translated(call, context, log));
  const health = createHealthService();
  const check: PeerCallCheck = (identity, path, peer) => {
    const caller = readCaller(identity, hotStream);
    return caller === undefined || !isRightPeer(caller, peer)
      ? unauthenticated()
      : refusalOf(caller, rpcServiceOf(path), isAllowed);
  };
  const hot = createHotService(bindings, log, check);
  const all = [...bindings, health.binding, hot.binding];
  for (const { definition, implementation } of all) server.add(definition, implementation);
  const credentials = tls === undefined ? undefined : new RpcServerCredentials(tls);
  const port = await server.listen(address, credentials).catch((err: unknown) => {
    throw withSystemCode(err);
  });
  return {
    port,
    announceStop: () => health.announceStop(),
    async stop(drainMs) {
      const force = setTimeout(() => server.forceShutdown(), drainMs);
      const ended = server.shutdown();
      // After callers were notified to use other connections for their next calls.
      hot.drain();
      await ended;
      clearTimeout(force);
      credentials?.stopFollowing();
    },
  };
}

/** gRPC names the platform's code only in the text of its message. */
function withSystemCode(err: unknown): unknown {
  const [, code] = err instanceof Error ? (/\b(?:listen|getaddrinfo) (E[A-Z]+)/.exec(err.message) ?? []) : [];
  return code === undefined ? err : Object.assign(new Error(`listen ${code}`, { cause: err }), { code });
}

/** Whether the connection's certificate is the caller's. */
type PeerRule = (caller: ServiceName, peer: ServiceName | undefined) => boolean;

interface CallerCheck {
  readonly readCaller: CallerReader;
  readonly isAllowed: CallerRule;
  readonly isRightPeer: PeerRule;
}

const hotStream = HotStreamServiceDefinition.fullName;
const healthPathPrefix = `/${HealthDefinition.fullName}/`;

async function* authenticated<Request, Response>(
  call: ServerMiddlewareCall<Request, Response>,
  context: CallContext,
  { readCaller, isAllowed, isRightPeer }: CallerCheck,
) {
  // Load balancers have no identity; the answer reveals nothing.
  if (!call.method.path.startsWith(healthPathPrefix)) {
    const rpcService = rpcServiceOf(call.method.path);
    const caller = readCaller(context.metadata.get(identityMetadataKey), rpcService);
    if (caller === undefined || !isRightPeer(caller, peerServiceOf(context))) throw unauthenticated();
    // Any service may open a hot stream; each call on it is checked.
    const refusal = rpcService === hotStream ? undefined : refusalOf(caller, rpcService, isAllowed);
    if (refusal !== undefined) throw refusal;
  }
  return yield* call.next(call.request, context);
}

function unauthenticated(): ServerError {
  return new ServerError(Status.UNAUTHENTICATED, "Calls need the identity of a Gatehouse service.");
}

function refusalOf(caller: ServiceName, rpcService: string, isAllowed: CallerRule): ServerError | undefined {
  if (isAllowed(caller, rpcService)) return undefined;
  return new ServerError(Status.PERMISSION_DENIED, "This service is not one of those that may make this call.");
}

async function* translated<Request, Response>(
  call: ServerMiddlewareCall<Request, Response>,
  context: CallContext,
  log: Logger,
) {
  try {
    return yield* call.next(call.request, context);
  } catch (err) {
    if (isAbortError(err) || err instanceof ServerError) throw err;
    const failure = toGatewayError(err);
    logFailure(log, failure, call.method.path);
    throw toServerError(failure, context.trailer);
  }
}
