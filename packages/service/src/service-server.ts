import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isGatewayError, toGatewayError } from "@gatehouse/errors";
import { defaultHttpServerBounds, type HttpServer, sendError, startHttpServer } from "@gatehouse/http";
import { createPrincipalVerifier, internalHeaders, type RequestContext, userOfRequest } from "@gatehouse/principal";
import { type RpcServer, startRpcServer } from "@gatehouse/rpc";
import type { Telemetry } from "@gatehouse/telemetry";
import { createHealthHandler } from "./health.ts";
import type { HostConfig } from "./host-config.ts";
import { cacheReadiness, type Service } from "./service.ts";

export interface ServiceServer {
  readonly httpPort: number;
  readonly rpcPort: number;
  /** Tells callers to go elsewhere, and `/readyz` says 503; calls are still taken. */
  readonly announceStop: () => void;
  readonly stop: () => Promise<void>;
}

/**
 * Serves one started service from this process: HTTP behind the router's signature, gRPC behind a service's identity.
 * @throws the platform's error when an address cannot be listened on; nothing is left listening then.
 */
export async function serveService(service: Service, config: HostConfig, telemetry: Telemetry): Promise<ServiceServer> {
  const state = { isStopping: false };
  const http = await startHttpServer(createListener(service, config, { telemetry, state }), {
    host: config.host,
    port: config.httpPort,
    upgrades: true,
    bounds: { ...defaultHttpServerBounds, writeIdleTimeoutMs: config.writeIdleTimeoutMs },
  });
  const rpc = await startRpcServer({
    bindings: service.rpc,
    internalKey: config.internalKey,
    log: telemetry.log,
    address: `${config.host}:${config.rpcPort}`,
  }).catch(async (err: unknown) => {
    await http.stop(0);
    throw err;
  });
  return {
    httpPort: http.port,
    rpcPort: rpc.port,
    announceStop() {
      state.isStopping = true;
      rpc.announceStop();
    },
    stop: async () => await stopServers(http, rpc, config.drainTimeoutMs),
  };
}

async function stopServers(http: HttpServer, rpc: RpcServer, drainMs: number): Promise<void> {
  await Promise.all([http.stop(drainMs), rpc.stop(drainMs)]);
}

interface ListenerParts {
  readonly telemetry: Telemetry;
  readonly state: { readonly isStopping: boolean };
}

function createListener(service: Service, { internalKey }: HostConfig, { telemetry, state }: ListenerParts) {
  const verify = createPrincipalVerifier(internalKey);
  const ofService = cacheReadiness(async () => await service.readiness());
  const readiness = async () => (state.isStopping ? { ready: false, problems: ["stopping"] } : await ofService());
  const health = createHealthHandler({ readiness, telemetry, isStopping: () => state.isStopping });
  return (req: IncomingMessage, res: ServerResponse): void => {
    const run = async () => {
      const signed = singleHeader(req, internalHeaders.principal);
      if (service.http === undefined || (signed === undefined && isHealthPath(req.url))) return health(req, res);
      // A connection that stays open would be closed under the next request.
      if (state.isStopping) res.setHeader("connection", "close");
      const context = accept(req, { verify, service, telemetry });
      try {
        await service.http(req, res, context);
      } catch (err) {
        context.hop.end(err);
        throw err;
      }
      context.hop.end(res.statusCode >= 500 ? new Error(`status ${res.statusCode}`) : undefined);
    };
    run().catch((err: unknown) => fail(err, res, telemetry));
  };
}

interface AcceptOptions {
  readonly verify: (header: string | undefined) => RequestContext["principal"];
  readonly service: Service;
  readonly telemetry: Telemetry;
}

function accept(req: IncomingMessage, { verify, service, telemetry }: AcceptOptions): RequestContext {
  const requestId = singleHeader(req, internalHeaders.requestId) ?? randomUUID();
  const principal = verify(singleHeader(req, internalHeaders.principal));
  return {
    principal,
    user: userOfRequest(req.headers, principal),
    requestId,
    ipAddress: singleHeader(req, internalHeaders.ipAddress) ?? "",
    host: singleHeader(req, internalHeaders.host),
    protocol: singleHeader(req, internalHeaders.protocol) === "https" ? "https" : "http",
    hop: telemetry.tracing.start(service.name, {
      kind: "server",
      parent: singleHeader(req, "traceparent"),
      attributes: { "gatehouse.request_id": requestId },
    }),
  };
}

function isHealthPath(path: string | undefined): boolean {
  return path === "/healthz" || path === "/readyz" || path === "/metrics";
}

function singleHeader(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name];
  return typeof value === "string" ? value : undefined;
}

function fail(err: unknown, res: ServerResponse, { log }: Telemetry): void {
  if (!isGatewayError(err)) log.error({ err }, "A request failed unexpectedly.");
  if (res.headersSent) res.destroy();
  else sendError(res, toGatewayError(err));
}
