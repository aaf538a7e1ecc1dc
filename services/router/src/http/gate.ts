import type { IncomingMessage, ServerResponse } from "node:http";
import { GatewayError, isGatewayError, toGatewayError } from "@gatehouse/errors";
import { liftRequestTimeout } from "@gatehouse/http";
import type { Principal, ServiceHandler } from "@gatehouse/principal";
import type { Hop, Logger, Tracing } from "@gatehouse/telemetry";
import type { Authenticate, Authenticated, AuthenticationName } from "../domain/authenticate.ts";
import { firstRefusal } from "../domain/guards.ts";
import type { OriginCheck } from "../domain/origin-check.ts";
import { allowedMethods, chooseRoute, type RouteGroup } from "../domain/route-matcher.ts";
import type { ControlRoute, DataRoute, ServiceName } from "../domain/route-table.ts";
import type { RequestMetrics } from "../metrics.ts";
import { refuse } from "./refusal.ts";
import type { RecordUnserved } from "./request-record.ts";

/** Where a request is headed: the routes that share its path. */
export type Destination =
  | { readonly group: RouteGroup<DataRoute>; readonly projectUuid: string }
  | { readonly group: RouteGroup<ControlRoute>; readonly projectUuid: "" };

export interface GateOptions {
  readonly authenticate: Authenticate;
  readonly services: Readonly<Record<ServiceName, ServiceHandler>>;
  readonly tracing: Tracing;
  readonly metrics: RequestMetrics;
  readonly recordUnserved: RecordUnserved;
  readonly log: Logger;
  readonly bodySizeBytesMax: number;
  readonly checkOrigin: OriginCheck;
  readonly requestsInFlightMax: number;
}

/** One request on its way through the gate. */
interface Passage {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly destination: Destination;
  readonly requestId: string;
  readonly ipAddress: string;
  readonly hop: Hop;
  readonly startedAtMs: number;
  routeId: string;
  principal: Principal | undefined;
  /** A service has answered, or is the one to say that its caller left. */
  isServed: boolean;
}

/** The status counted for a client that left before its reply was complete. */
const clientClosedRequest = 499;

/**
 * Leads a request of either lane past its route's guards to its service, and answers for it where it is refused or fails.
 * The one place where a service is called.
 */
export class Gate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** `X-Request-Id` must be set on the response already. */
  enter(req: IncomingMessage, res: ServerResponse, destination: Destination & { readonly requestId: string }): void {
    const { tracing, metrics, requestsInFlightMax, authenticate } = this.#options;
    const [first] = destination.group.routes;
    const { requestId } = destination;
    const ipAddress = plainAddress(req.socket.remoteAddress);
    const passage: Passage = {
      req,
      res,
      destination,
      requestId,
      ipAddress,
      routeId: first.id,
      principal: undefined,
      isServed: false,
      startedAtMs: performance.now(),
      hop: tracing.start("router", {
        kind: "server",
        parent: singleHeader(req, "traceparent"),
        attributes: { "gatehouse.request_id": requestId, "http.request.method": req.method ?? "" },
      }),
    };
    metrics.inFlight += 1;
    if (metrics.inFlight > requestsInFlightMax) {
      this.#refuse(
        passage,
        new GatewayError("unavailable", "The gateway is at its limit. Try again.", { retryAfterSeconds: 1 }),
      );
      return;
    }
    const by: AuthenticationName = first.lane === "data" ? "token" : "admin_key";
    const authenticated = authenticate(by, { rawHeaders: req.rawHeaders, ipAddress });
    if (!(authenticated instanceof Promise)) this.#proceed(passage, authenticated);
    else
      authenticated.then(
        (late) => this.#proceed(passage, late),
        (err: unknown) => this.#fail(passage, err),
      );
  }

  #proceed(passage: Passage, authenticated: Authenticated): void {
    const { req, res, destination } = passage;
    if (isGatewayError(authenticated)) return this.#refuse(passage, authenticated);
    passage.principal = authenticated;
    if (res.destroyed) return this.#finish(passage);
    const route = routeFor(destination, authenticated, req.method ?? "");
    passage.routeId = route.id;
    const refusal = firstRefusal({
      route,
      principal: authenticated,
      projectUuid: destination.projectUuid,
      method: req.method ?? "",
      bodySizeBytes: Number(req.headers["content-length"] ?? 0),
      bodySizeBytesMax: this.#options.bodySizeBytesMax,
      checkOrigin: () => this.#options.checkOrigin(req.headers),
    });
    if (refusal !== undefined) return this.#refuse(passage, refusal);
    if (route.lane === "data" && route.streamsBody) liftRequestTimeout(req);
    return this.#call(passage, route.service, authenticated);
  }

  #call(passage: Passage, service: ServiceName, principal: Principal): void {
    const { req, res, requestId, ipAddress, hop } = passage;
    passage.isServed = true;
    this.#options.services[service](req, res, { requestId, principal, ipAddress, host: req.headers.host, hop }).then(
      () => this.#finish(passage),
      (err: unknown) => this.#fail(passage, err),
    );
  }

  #refuse(passage: Passage, err: GatewayError): void {
    const { res, destination, principal } = passage;
    const type = principal?.kind === "token" ? principal.project.projectType : undefined;
    refuse(res, err, err.code === "method_not_allowed" ? { allow: allowedMethods(destination.group, type) } : {});
    this.#finish(passage, err);
  }

  /** A service that could not be reached is answered for here; one that failed midway is cut off. */
  #fail(passage: Passage, cause: unknown): void {
    const err = toGatewayError(cause);
    if (err.code === "internal") {
      this.#options.log.error(
        { err: err.cause ?? err, requestId: passage.requestId },
        "A request failed unexpectedly.",
      );
    }
    const { res } = passage;
    passage.isServed &&= res.headersSent || res.destroyed;
    if (res.headersSent) res.destroy();
    else refuse(res, err);
    this.#finish(passage, err);
  }

  #finish(passage: Passage, err?: GatewayError): void {
    const { req, res, hop, routeId } = passage;
    const { metrics, recordUnserved } = this.#options;
    const status = res.headersSent ? res.statusCode : clientClosedRequest;
    const durationMs = performance.now() - passage.startedAtMs;
    metrics.inFlight -= 1;
    metrics.observe(routeId, status, durationMs / 1_000);
    if (!passage.isServed) recordUnserved({ ...passage, method: req.method, status, error: err, durationMs });
    hop.set({ "gatehouse.route": routeId, "http.response.status_code": status });
    hop.end(status >= 500 ? (err ?? new Error(`status ${status}`)) : undefined);
  }
}

function routeFor({ group }: Destination, principal: Principal, method: string): DataRoute | ControlRoute {
  if (principal.kind === "admin") return group.routes[0];
  return isDataGroup(group) ? chooseRoute(group, principal.project.projectType, method) : group.routes[0];
}

function isDataGroup(group: Destination["group"]): group is RouteGroup<DataRoute> {
  return group.routes[0].lane === "data";
}

function singleHeader(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name];
  return typeof value === "string" ? value : undefined;
}

/** IPv4 addresses are written as such on a socket that listens on IPv6 too. */
function plainAddress(address: string | undefined): string {
  if (address === undefined) return "";
  return address.startsWith("::ffff:") ? address.slice("::ffff:".length) : address;
}
