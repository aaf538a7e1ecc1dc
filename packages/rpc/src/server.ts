import { toGatewayError } from "@gatehouse/errors";
import { HealthDefinition } from "@gatehouse/proto/health";
import type { Logger } from "@gatehouse/telemetry";
import type { Secret } from "@gatehouse/vault";
import { type CallContext, createServer, type ServerMiddlewareCall, ServerError, Status } from "nice-grpc";
import { isAbortError } from "./abort.ts";
import { messageBytesMax, type RpcBinding } from "./binding.ts";
import { toServerError } from "./error-mapping.ts";
import { createHealthService } from "./health-service.ts";
import { createHotService } from "./hot/hot-server.ts";
import { logFailure } from "./log-failure.ts";
import { createIdentityVerifier, identityMetadataKey } from "./service-identity.ts";

export interface RpcServerOptions {
  readonly bindings: readonly RpcBinding[];
  /** Shared by all services; a call without an identity signed under it is refused. */
  readonly internalKey: Secret;
  readonly log: Logger;
  /** `host:port`; port 0 takes a free one. */
  readonly address: string;
}

export interface RpcServer {
  readonly port: number;
  /** Tells callers to go elsewhere; calls are still taken. */
  readonly announceStop: () => void;
  /** Stops taking calls, lets those in flight finish within the bound, then ends them. */
  readonly stop: (drainMs: number) => Promise<void>;
}

export async function startRpcServer({ bindings, internalKey, log, address }: RpcServerOptions): Promise<RpcServer> {
  const verifyIdentity = createIdentityVerifier(internalKey);
  const server = createServer({ "grpc.max_receive_message_length": messageBytesMax })
    .use((call, context) => authenticated(call, context, verifyIdentity))
    .use((call, context) => translated(call, context, log));
  const health = createHealthService();
  const hot = createHotService(bindings, log);
  const all = [...bindings, health.binding, hot.binding];
  for (const { definition, implementation } of all) server.add(definition, implementation);
  const port = await server.listen(address);
  return {
    port,
    announceStop: () => health.announceStop(),
    async stop(drainMs) {
      const force = setTimeout(() => server.forceShutdown(), drainMs);
      const ended = server.shutdown();
      // After its callers have learnt that they must connect elsewhere for their next calls.
      hot.drain();
      await ended;
      clearTimeout(force);
    },
  };
}

const healthPathPrefix = `/${HealthDefinition.fullName}/`;

async function* authenticated<Request, Response>(
  call: ServerMiddlewareCall<Request, Response>,
  context: CallContext,
  verifyIdentity: (value: string | undefined) => string | undefined,
) {
  // Load balancers have no identity, and learn nothing from its answer.
  const isHealthCheck = call.method.path.startsWith(healthPathPrefix);
  if (!isHealthCheck && verifyIdentity(context.metadata.get(identityMetadataKey)) === undefined) {
    throw new ServerError(Status.UNAUTHENTICATED, "Calls need the identity of a Gatehouse service.");
  }
  return yield* call.next(call.request, context);
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
