import type { IncomingMessage, ServerResponse } from "node:http";
import { type GatewayError, isGatewayError, toGatewayError } from "@gatehouse/errors";
import { decodedBytesMax, endEventStream, isEncoded, liftRequestTimeout, upgradeHeadOf } from "@gatehouse/http";
import { type Principal, type ServiceHandler, userOfRequest } from "@gatehouse/principal";
import type { Logger, Tracing } from "@gatehouse/telemetry";
import type { Authenticate, Authenticated, AuthenticationName, Credential } from "../domain/authenticate.ts";
import { addressKey, type ClientOf } from "../domain/client.ts";
import { firstRefusal } from "../domain/guards.ts";
import type { OriginCheck } from "../domain/origin-check.ts";
import { allowedMethods, chooseControlRoute, chooseRoute, type RouteGroup } from "../domain/route-matcher.ts";
import type { ControlRoute, DataRoute, ServiceName } from "../domain/route-table.ts";
import { isRefused, type ShareRefusal, type Shares } from "../domain/shares.ts";
import type { TrustedIssuers } from "../domain/trusted-issuers.ts";
import type { RequestMetrics } from "../metrics.ts";
import type { AnonymousSockets } from "./anonymous-sockets.ts";
import type { BodyGate } from "./body-gate.ts";
import type { EndReason, OpenRequests } from "./open-requests.ts";
import { challenge } from "./oauth-resource.ts";
import { originOf } from "./origin-of.ts";
import { Closings, type Destination, type Passage } from "./passage.ts";
import { refuse } from "./refusal.ts";
import type { RecordUnserved } from "./request-record.ts";
import { shareRefused } from "./share-refusal.ts";
import { brokenStreamEvent } from "../domain/broken-stream-event.ts";
import type { SignIns } from "./sign-in.ts";

export interface GateOptions {
  readonly authenticate: Authenticate;
  readonly services: Readonly<Record<ServiceName, ServiceHandler>>;
  readonly tracing: Tracing;
  readonly metrics: RequestMetrics;
  readonly recordUnserved: RecordUnserved;
  readonly log: Logger;
  readonly bodySizeBytesMax: number;
  readonly checkOrigin: OriginCheck;
  readonly clientOf: ClientOf;
  readonly issuers: Pick<TrustedIssuers, "forMcp">;
  readonly publicUrl: string | undefined;
  readonly shares: Shares;
  readonly bodies: BodyGate;
  readonly openRequests: OpenRequests;
  readonly anonymousSockets: AnonymousSockets;
  /** As `authenticate`, for requests that are open: what stands before new ones does not hold these up. */
  readonly authenticateAgain: Authenticate;
  readonly signIns: Pick<SignIns, "read">;
}

/** The status counted for a client that left before its reply was complete. */
const clientClosedRequest = 499;

/**
 * Leads a request of either plane past its route's guards to its service, and answers for it where it is refused or fails.
 * The one place where a service is called.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #closings = new Closings();

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** `X-Request-Id` must be set on the response already. */
  enter(req: IncomingMessage, res: ServerResponse, destination: Destination & { readonly requestId: string }): void {
    const { shares, clientOf } = this.#options;
    const client = clientOf(originOf(req));
    const entered = shares.enter(addressKey(client.ipAddress));
    const stay = isRefused(entered) ? undefined : entered;
    const passage = this.#open(req, res, { ...client, destination, requestId: destination.requestId, stay });
    if (isRefused(entered)) return this.#refuseShare(passage, entered);
    this.#closings.watch(req, res, () => {
      passage.isClosed = true;
      passage.bodyWait?.end();
      // A service that waits for the rest of a body that was dropped would wait for its whole time-out.
      if (passage.endedBy !== undefined && !req.readableEnded) req.destroy();
      this.#leave(passage);
    });
    const authenticated = this.#authenticate(passage);
    if (!(authenticated instanceof Promise)) return this.#proceed(passage, authenticated);
    authenticated.then(
      (late) => this.#proceed(passage, late),
      (err: unknown) => this.#fail(passage, err),
    );
    return undefined;
  }

  #authenticate(passage: Passage): Authenticated | Promise<Authenticated> {
    const { authenticate, signIns } = this.#options;
    const { req, credential, destination } = passage;
    if (!isSignIn(destination, req.method ?? "")) return authenticate(credential.by, sentBy(passage));
    return signIns.read(req).then(async (rawHeaders) => {
      passage.credential = { by: "admin_key", rawHeaders };
      return await authenticate("admin_key", sentBy(passage));
    });
  }

  #open(req: IncomingMessage, res: ServerResponse, known: KnownAtEntry): Passage {
    const { requestId, destination } = known;
    const attributes = { "gatehouse.request_id": requestId, "http.request.method": req.method ?? "" };
    return {
      ...known,
      req,
      res,
      routeId: routeBefore(destination, req.method ?? "").id,
      credential: { by: credentialOf(destination, req.method ?? ""), rawHeaders: req.rawHeaders },
      principal: undefined,
      isServed: false,
      open: undefined,
      bodyWait: undefined,
      endedBy: undefined,
      isSettled: false,
      isClosed: false,
      startedAtMs: performance.now(),
      span: this.#options.tracing.start("router", {
        kind: "server",
        parent: singleHeader(req, "traceparent"),
        attributes,
      }),
    };
  }

  #proceed(passage: Passage, authenticated: Authenticated): void {
    const { req, res, destination, stay } = passage;
    if (isGatewayError(authenticated)) return this.#refuse(passage, authenticated);
    passage.principal = authenticated;
    this.#options.anonymousSockets.release(req.socket);
    if (res.destroyed) return this.#finish(passage);
    const route = routeFor(destination, authenticated, req.method ?? "");
    passage.routeId = route.id;
    const refusal = firstRefusal({
      route,
      principal: authenticated,
      ipAddress: passage.ipAddress,
      projectUuid: destination.projectUuid,
      method: req.method ?? "",
      bodySizeBytes: Number(req.headers["content-length"] ?? 0),
      bodySizeBytesMax: this.#options.bodySizeBytesMax,
      checkOrigin: () => this.#options.checkOrigin(req.headers),
      origin: req.headers.origin,
      csrfToken: singleHeader(req, "x-gatehouse-csrf"),
    });
    if (refusal !== undefined) return this.#refuse(passage, refusal);
    const streamsBody = route.plane === "data" && route.streamsBody === true;
    const announced = { bodyBytes: this.#announcedBytes(req, streamsBody), isStream: upgradeHeadOf(req) !== undefined };
    const refused = stay?.identify(authenticated, announced);
    if (refused !== undefined) return this.#refuseShare(passage, refused);
    if (streamsBody) liftRequestTimeout(req);
    this.#list(passage, authenticated, route.service);
    if (streamsBody) return this.#call(passage, route.service, authenticated);
    const comesUnannounced = req.headers["transfer-encoding"] !== undefined && !isEncoded(req);
    const body = { principal: authenticated, bytes: announced.bodyBytes, comesUnannounced };
    return this.#options.bodies.enter(passage, body, {
      proceed: () => this.#call(passage, route.service, authenticated),
      refuse: (err) => this.#refuse(passage, err),
      cutOff: (err) => this.#cutOff(passage, err),
      leave: () => this.#finish(passage, passage.endedBy),
    });
  }

  /** What a body will take up here. One that comes without a length is counted as it comes, unless it is to grow. */
  #announcedBytes(req: IncomingMessage, streamsBody: boolean): number {
    const { bodySizeBytesMax } = this.#options;
    const { "content-length": length, "transfer-encoding": coding } = req.headers;
    if (!streamsBody && isEncoded(req)) {
      return length === undefined ? bodySizeBytesMax : decodedBytesMax(Number(length), bodySizeBytesMax);
    }
    if (!streamsBody) return length === undefined ? req.readableLength : Number(length);
    if (coding !== undefined) return streamedBytesHeldMax;
    return Math.min(Number(length ?? 0), streamedBytesHeldMax);
  }

  /** From now on a revocation ends it. */
  #list(passage: Passage, principal: Principal, service: ServiceName): void {
    const { req, res, stay } = passage;
    if (stay === undefined) return;
    const { openRequests, authenticateAgain } = this.#options;
    passage.open = {
      req,
      res,
      stay,
      principal,
      openedAtMs: passage.startedAtMs,
      authenticateAgain: () => authenticateAgain(passage.credential.by, sentBy(passage)),
      // Streams of other services have events of other forms.
      ...(service === "chat" ? { endStream: () => void endEventStream(res, brokenStreamEvent) } : {}),
      end: (err, reason) => this.#end(passage, err, reason),
    };
    openRequests.add(passage.open);
  }

  #call(passage: Passage, service: ServiceName, principal: Principal): void {
    const { req, res, requestId, ipAddress, protocol, span } = passage;
    passage.isServed = true;
    const user = userOfRequest(req.headers, principal);
    const context = { requestId, principal, ipAddress, protocol, host: req.headers.host, span, user };
    this.#options.services[service](req, res, context).then(
      () => this.#finish(passage),
      (err: unknown) => this.#fail(passage, err),
    );
  }

  #refuseShare(passage: Passage, refusal: ShareRefusal): void {
    this.#options.metrics.refused(refusal.holder, refusal.bound);
    this.#refuse(passage, shareRefused(refusal));
  }

  #refuse(passage: Passage, err: GatewayError): void {
    const { req, res, destination, principal, protocol } = passage;
    const type = principal?.kind === "token" ? principal.project.projectType : undefined;
    const { group, projectUuid } = destination;
    const { issuers, publicUrl } = this.#options;
    const headers = challenge(req, { err, path: group.routes[0].path, projectUuid, protocol, publicUrl }, issuers);
    refuse(res, err, err.code === "method_not_allowed" ? { allow: allowedMethods(group, type) } : headers);
    this.#finish(passage, err);
  }

  #end(passage: Passage, err: GatewayError, reason: EndReason): void {
    if (passage.endedBy !== undefined) return;
    this.#options.metrics.ended(reason);
    this.#cutOff(passage, err);
  }

  /** Takes a request away from its service, which sees its client leave. */
  #cutOff(passage: Passage, err: GatewayError): void {
    const { req, res } = passage;
    passage.endedBy = err;
    passage.bodyWait?.end();
    if (res.headersSent || res.destroyed) req.socket.destroy();
    else refuse(res, err);
  }

  /** A service that could not be reached is answered for here; one that failed midway is cut off. */
  #fail(passage: Passage, cause: unknown): void {
    const err = passage.endedBy ?? toGatewayError(cause);
    if (err.code === "internal") {
      this.#options.log.error(
        { err: err.cause ?? err, requestId: passage.requestId },
        "A request failed unexpectedly.",
      );
    }
    const { res } = passage;
    passage.isServed &&= res.headersSent || res.destroyed;
    if (!res.headersSent) refuse(res, err);
    else if (passage.endedBy === undefined && !res.writableEnded) res.destroy();
    this.#finish(passage, err);
  }

  /** The reply may still be on its way to its client; until it has left, the request stays in the accounts. */
  #finish(passage: Passage, err?: GatewayError): void {
    const { res, span, routeId } = passage;
    const { metrics, recordUnserved } = this.#options;
    const status = res.headersSent ? res.statusCode : clientClosedRequest;
    const durationMs = performance.now() - passage.startedAtMs;
    metrics.observe(routeId, status, durationMs / 1_000);
    if (!passage.isServed) {
      const { method, headers } = passage.req;
      const user = userOfRequest(headers, passage.principal);
      recordUnserved({ ...passage, user, method, status, error: err, durationMs });
    }
    span.set({ "gatehouse.route": routeId, "http.response.status_code": status });
    span.end(status >= 500 ? (err ?? new Error(`status ${status}`)) : undefined);
    passage.isSettled = true;
    this.#leave(passage);
  }

  #leave({ isSettled, isClosed, stay, open }: Passage): void {
    if (!isSettled || !isClosed) return;
    stay?.leave();
    if (open !== undefined) this.#options.openRequests.delete(open);
  }
}

type KnownAtEntry = Pick<Passage, "requestId" | "destination" | "ipAddress" | "protocol" | "stay">;

function credentialOf({ group }: Destination, method: string): AuthenticationName {
  if (isDataGroup(group)) return "token";
  const [by] = chooseControlRoute(group, method).guards;
  return by === "sign_in" ? "admin_key" : by;
}

/** Whether the credential is in the body. */
function isSignIn({ group }: Destination, method: string): boolean {
  return !isDataGroup(group) && chooseControlRoute(group, method).guards[0] === "sign_in";
}

/** The route that stands for a request before it is known who is calling. */
function routeBefore({ group }: Destination, method: string): DataRoute | ControlRoute {
  return isDataGroup(group) ? group.routes[0] : chooseControlRoute(group, method);
}

function sentBy({ credential, ipAddress, destination }: Passage): Credential {
  return { rawHeaders: credential.rawHeaders, ipAddress, projectUuid: destination.projectUuid };
}

/** Of a body that passes through: what the stages of the way hold at once. */
const streamedBytesHeldMax = 256 * 1024;

function routeFor({ group }: Destination, principal: Principal, method: string): DataRoute | ControlRoute {
  if (!isDataGroup(group)) return chooseControlRoute(group, method);
  return principal.kind === "admin" ? group.routes[0] : chooseRoute(group, principal.project.projectType, method);
}

function isDataGroup(group: Destination["group"]): group is RouteGroup<DataRoute> {
  return group.routes[0].plane === "data";
}

function singleHeader(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name];
  return typeof value === "string" ? value : undefined;
}
