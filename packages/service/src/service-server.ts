import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { errorTable, GatewayError, isGatewayError, toGatewayError } from "@gatehouse/errors";
import { defaultHttpServerBounds, isCarried, sendError, singleHeader, startHttpServer } from "@gatehouse/http";
import { peerBounds } from "@gatehouse/peers";
import {
  createPrincipalVerifier,
  fromRouterHeader,
  internalHeaders,
  type RequestContext,
  userOfRequest,
} from "@gatehouse/principal";
import { type RpcServer, startRpcServer } from "@gatehouse/rpc";
import { inSpan, type Telemetry } from "@gatehouse/telemetry";
import { isAllowedHttpCaller, serviceOfConnection } from "@gatehouse/trust";
import { createHealthHandler } from "./health.ts";
import type { HostConfig } from "./host-config.ts";
import { createRequestMetrics } from "./http-metrics.ts";
import { readinessOf, type Service } from "./service.ts";
import { toPortError } from "./unusable-port.ts";

/** The open HTTP and gRPC ports of a service's process. */
export interface ServiceServer {
  readonly httpPort: number;
  readonly rpcPort: number;
  /** Sends callers to other processes, by 503 of `/readyz`; calls are still accepted. */
  readonly announceStop: () => void;
  readonly stop: () => Promise<void>;
}

/** A server of a starting service: it reports health, and holds requests. */
export interface ServiceListener extends Omit<ServiceServer, "rpcPort"> {
  /** Accepts calls, once the service has started. @returns the port of gRPC. */
  readonly serve: () => Promise<number>;
  readonly isServing: () => boolean;
}

/** Longest wait of a request for a starting service, as long as callers look for a peer. */
const startPatienceMs = peerBounds.waitMs;

/**
 * Serves one started service from this process: HTTP for the router's signature, gRPC for a service's identity.
 * @throws UnusablePortError when an address is not available; nothing is left listening then.
 */
export async function serveService(service: Service, config: HostConfig, telemetry: Telemetry): Promise<ServiceServer> {
  const listener = await listenForService(service, config, telemetry);
  const rpcPort = await listener.serve().catch(async (err: unknown) => {
    await listener.stop();
    throw err;
  });
  return { ...listener, rpcPort };
}

/** Listens for HTTP before the service starts. @throws as {@link serveService}. */
export async function listenForService(
  service: Service,
  config: HostConfig,
  telemetry: Telemetry,
): Promise<ServiceListener> {
  const state = new ServingState();
  const http = await startHttpServer(createListener(service, config, telemetry, state), {
    host: config.host,
    port: config.httpPort,
    upgrades: true,
    carrying: { admits: (req) => config.tls === undefined || isCaller(req) },
    tls: config.tls,
    bounds: { ...defaultHttpServerBounds, writeIdleTimeoutMs: config.writeIdleTimeoutMs },
  }).catch((err: unknown) => {
    throw toPortError({ purpose: "HTTP", port: config.httpPort, settings: { host: "HOST", port: "PORT" } }, err);
  });
  let rpc: RpcServer | undefined;
  return {
    httpPort: http.port,
    isServing: () => rpc !== undefined,
    async serve() {
      rpc = await startRpcServer({
        bindings: service.rpc,
        trust: config.trust,
        tls: config.tls,
        log: telemetry.log,
        metrics: telemetry.metrics,
        tracing: telemetry.tracing,
        address: `${config.host}:${config.rpcPort}`,
      }).catch((err: unknown) => {
        throw toPortError({ purpose: "gRPC", port: config.rpcPort, settings: { host: "HOST", port: "RPC_PORT" } }, err);
      });
      state.serve();
      return rpc.port;
    },
    announceStop() {
      state.stop();
      http.announceStop();
      rpc?.announceStop();
    },
    stop: async () => void (await Promise.all([http.stop(config.drainTimeoutMs), rpc?.stop(config.drainTimeoutMs)])),
  };
}

/** State machine: starting, serving, stopping. */
class ServingState {
  readonly #started = new AbortController();
  #isStopping = false;

  get isStarting(): boolean {
    return !this.#started.signal.aborted && !this.#isStopping;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  serve(): void {
    this.#started.abort();
  }

  stop(): void {
    this.#isStopping = true;
  }

  /** Waits for the start. @throws GatewayError `unavailable` when it takes too long. */
  async started(): Promise<void> {
    const { signal } = this.#started;
    if (!signal.aborted) await delay(startPatienceMs, undefined, { signal }).catch(() => {});
    if (!signal.aborted) throw new GatewayError("unavailable", "The service is starting.", { retryAfterSeconds: 1 });
  }
}

function createListener(service: Service, { trust, tls }: HostConfig, telemetry: Telemetry, state: ServingState) {
  const verify = createPrincipalVerifier(trust);
  const ofService = readinessOf(service, () => !state.isStarting);
  const readiness = async () => (state.isStopping ? { ready: false, problems: ["stopping"] } : await ofService());
  const observe = createRequestMetrics(telemetry.metrics, service.name);
  const health = createHealthHandler(readiness, telemetry, () => phaseOf(state));
  return (req: IncomingMessage, res: ServerResponse): void => {
    const run = async () => {
      const signed = singleHeader(req, internalHeaders.principal);
      if (service.http === undefined || (signed === undefined && isHealthPath(req.url))) return health(req, res);
      if (tls !== undefined && !isCarried(req)) requireCaller(req);
      const beganMs = performance.now();
      res.once("close", () =>
        observe(res.headersSent ? res.statusCode : errorTable.cancelled.http, (performance.now() - beganMs) / 1_000),
      );
      const { http } = service;
      const context = accept(req, verify, service, telemetry);
      const { span } = context;
      await inSpan(span, async () => {
        try {
          await state.started();
          await http(req, res, context);
          span.set({ "http.response.status_code": res.statusCode });
          span.end(res.statusCode >= 500 ? new Error(`status ${res.statusCode}`) : undefined);
        } catch (err) {
          span.end(err);
          fail(err, res, telemetry);
        }
      });
    };
    run().catch((err: unknown) => fail(err, res, telemetry));
  };
}

function phaseOf({ isStarting, isStopping }: ServingState): "starting" | "serving" | "stopping" {
  if (isStopping) return "stopping";
  return isStarting ? "starting" : "serving";
}

function isCaller({ socket }: IncomingMessage): boolean {
  const caller = serviceOfConnection(socket);
  return caller !== undefined && isAllowedHttpCaller(caller);
}

/** Admits callers of the service alone; health is answered before. @throws GatewayError `invalid_token` */
function requireCaller(req: IncomingMessage): void {
  if (isCaller(req)) return;
  throw new GatewayError("invalid_token", "Requests need the certificate of a service that may call this one.");
}

function accept(
  req: IncomingMessage,
  verify: (header: string | undefined, method: string | undefined) => RequestContext["principal"],
  service: Service,
  telemetry: Telemetry,
): RequestContext {
  const requestId = singleHeader(req, internalHeaders.requestId) ?? randomUUID();
  const principal = verify(singleHeader(req, internalHeaders.principal), req.method);
  return {
    principal,
    user: userOfRequest(req.headers, principal),
    requestId,
    ipAddress: singleHeader(req, internalHeaders.ipAddress) ?? "",
    host: singleHeader(req, internalHeaders.host),
    protocol: singleHeader(req, internalHeaders.protocol) === "https" ? "https" : "http",
    router: fromRouterHeader(singleHeader(req, internalHeaders.router)),
    // Without the path, whose values are unbounded; the service names the spans of its calls by route.
    span: telemetry.tracing.start(`${req.method} ${service.name}`, {
      kind: "server",
      parent: singleHeader(req, "traceparent"),
      attributes: { "gatehouse.request_id": requestId, "http.request.method": req.method ?? "" },
    }),
  };
}

function isHealthPath(path: string | undefined): boolean {
  return path === "/healthz" || path === "/readyz" || path === "/metrics";
}

function fail(err: unknown, res: ServerResponse, { log }: Telemetry): void {
  if (!isGatewayError(err)) log.error({ err }, "A request failed unexpectedly.");
  if (res.headersSent) res.destroy();
  else sendError(res, toGatewayError(err));
}
