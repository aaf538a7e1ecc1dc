import type { IncomingMessage, ServerResponse } from "node:http";
import { type GatewayError, isGatewayError, toGatewayError } from "@gatehouse/errors";
import {
  decodedBytesMax,
  endEventStream,
  isEncoded,
  liftRequestTimeout,
  recordedReplyEnd,
  recordReplyEnd,
  replyEndOf,
  singleHeader,
  upgradeHeadOf,
} from "@gatehouse/http";
import { type Principal, type ServiceHandler, userOfRequest } from "@gatehouse/principal";
import { inSpan, type Logger, type Tracing } from "@gatehouse/telemetry";
import type { Authenticate, Authenticated, AuthenticationName, Credential } from "../app/authenticate.ts";
import { toStreamEvent } from "../domain/broken-stream-event.ts";
import { addressKey, type ClientOf } from "../domain/client.ts";
import { isRefused, type ShareRefusal, type FairShareLimiter } from "../domain/fair-share-limiter.ts";
import { firstRefusal } from "../domain/guards.ts";
import type { OriginCheck } from "../domain/origin-check.ts";
import { allowedMethods, chooseControlRoute, chooseRoute, type RouteGroup } from "../domain/route-matcher.ts";
import type { ControlRoute, DataRoute, ServiceName } from "../domain/route-table.ts";
import { isSecureRequest } from "../domain/secure-request.ts";
import type { TrustedIssuers } from "../domain/trusted-issuers.ts";
import type { EndReason, RequestMetrics } from "../metrics.ts";
import type { AnonymousSockets } from "./anonymous-sockets.ts";
import type { BodyAdmission } from "./body-admission.ts";
import { challenge } from "./oauth-resource.ts";
import type { OpenRequests } from "./open-requests.ts";
import { refuse } from "./reject.ts";
import { type Destination, senderAddressOf, type RequestState, watchReply } from "./request-state.ts";
import { shareRefused } from "./share-refusal.ts";
import type { SignIns } from "./sign-in.ts";
import type { RecordUnserved } from "./unauthenticated-record.ts";

interface RequestDispatcherOptions {
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
  readonly shares: FairShareLimiter;
  readonly bodies: BodyAdmission;
  readonly openRequests: OpenRequests;
  readonly anonymousSockets: AnonymousSockets;
  /** Authenticates open requests again, without the guards that delay new ones. */
  readonly authenticateAgain: Authenticate;
  readonly signIns: Pick<SignIns, "read">;
}

/** Time for a client to read the last event of its stream after its credential was revoked. */
const lastEventMs = 1_000;

/**
 * Runs a request of either plane through its route's guards to its service, and answers it where it is refused or fails. The only
 * caller of services.
 */
export class RequestDispatcher {
  readonly #options: RequestDispatcherOptions;

  constructor(options: RequestDispatcherOptions) {
    this.#options = options;
  }

  /** `X-Request-Id` must be set on the response. */
  dispatch(req: IncomingMessage, res: ServerResponse, destination: Destination & { readonly requestId: string }): void {
    const { shares, clientOf } = this.#options;
    const client = clientOf(senderAddressOf(req));
    const entered = shares.enter(addressKey(client.ipAddress));
    const share = isRefused(entered) ? undefined : entered;
    const state = this.#open(req, res, { ...client, destination, requestId: destination.requestId, share });
    if (isRefused(entered)) return this.#refuseShare(state, entered);
    watchReply(req, res, () => {
      state.isClosed = true;
      state.bodyWait?.end();
      // A service waiting for the rest of a dropped body would wait until its time-out.
      if (state.endedBy !== undefined && !req.readableEnded) req.destroy();
      this.#leave(state);
    });
    return inSpan(state.span, () => this.#answer(state));
  }

  #answer(state: RequestState): void {
    const authenticated = this.#authenticate(state);
    if (!(authenticated instanceof Promise)) return this.#proceed(state, authenticated);
    authenticated.then(
      (late) => this.#proceed(state, late),
      (err: unknown) => this.#fail(state, err),
    );
    return undefined;
  }

  #authenticate(state: RequestState): Authenticated | Promise<Authenticated> {
    const { authenticate, signIns } = this.#options;
    const { req, credential, destination } = state;
    if (!isSignIn(destination, req.method ?? "")) return authenticate(credential.by, this.#sentBy(state));
    return signIns.read(req).then(async (rawHeaders) => {
      state.credential = { by: "admin_key", rawHeaders };
      return await authenticate("admin_key", this.#sentBy(state));
    });
  }

  #sentBy({ req, credential, ipAddress, protocol, destination }: RequestState): Credential {
    const { rawHeaders } = credential;
    const sent = { rawHeaders, ipAddress, projectUuid: destination.projectUuid };
    if (isDataGroup(destination.group)) return sent;
    return {
      ...sent,
      isSecure: isSecureRequest({ headers: req.headers, protocol, publicUrl: this.#options.publicUrl }),
    };
  }

  #open(req: IncomingMessage, res: ServerResponse, known: KnownAtEntry): RequestState {
    const { requestId, destination } = known;
    const method = req.method ?? "";
    const route = routeBefore(destination, method);
    const attributes = { "gatehouse.request_id": requestId, "http.request.method": method, "http.route": route.path };
    return {
      ...known,
      req,
      res,
      routeId: route.id,
      credential: { by: credentialOf(destination, method), rawHeaders: req.rawHeaders },
      principal: undefined,
      isServed: false,
      open: undefined,
      bodyWait: undefined,
      endedBy: undefined,
      isSettled: false,
      isClosed: false,
      startedAtMs: performance.now(),
      span: this.#options.tracing.start(`${method} ${route.path}`, {
        kind: "server",
        parent: singleHeader(req, "traceparent"),
        attributes,
      }),
    };
  }

  #proceed(state: RequestState, authenticated: Authenticated): void {
    const { req, res, destination, share } = state;
    if (isGatewayError(authenticated)) return this.#refuse(state, authenticated);
    state.principal = authenticated;
    this.#options.anonymousSockets.release(req.socket);
    if (res.destroyed) return this.#finish(state);
    const route = routeFor(destination, authenticated, req.method ?? "");
    state.routeId = route.id;
    const guardRefusal = firstRefusal({
      route,
      principal: authenticated,
      ipAddress: state.ipAddress,
      projectUuid: destination.projectUuid,
      method: req.method ?? "",
      bodySizeBytes: Number(req.headers["content-length"] ?? 0),
      bodySizeBytesMax: this.#options.bodySizeBytesMax,
      checkOrigin: () => this.#options.checkOrigin(req.headers),
      origin: req.headers.origin,
      csrfToken: singleHeader(req, "x-gatehouse-csrf"),
    });
    const refusal = guardRefusal ?? this.#options.openRequests.refusal;
    if (refusal !== undefined) return this.#refuse(state, refusal);
    const streamsBody = route.plane === "data" && route.streamsBody === true;
    const announced = { bodyBytes: this.#announcedBytes(req, streamsBody), isStream: upgradeHeadOf(req) !== undefined };
    const refused = share?.identify(authenticated, announced);
    if (refused !== undefined) return this.#refuseShare(state, refused);
    if (streamsBody) liftRequestTimeout(req);
    this.#list(state, authenticated, route.service);
    if (streamsBody) return this.#call(state, route.service, authenticated);
    const comesUnannounced = req.headers["transfer-encoding"] !== undefined && !isEncoded(req);
    const body = { principal: authenticated, bytes: announced.bodyBytes, comesUnannounced };
    return this.#options.bodies.enter(state, body, {
      proceed: () => this.#call(state, route.service, authenticated),
      refuse: (err) => this.#refuse(state, err),
      cutOff: (err) => {
        recordReplyEnd(res, err);
        this.#cutOff(state, err);
      },
      leave: () => this.#finish(state, state.endedBy),
    });
  }

  /** Bytes that a body will occupy here. A body without a length is counted as it arrives, except one that may expand. */
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

  /** Adds the request to the open requests, so that a revocation ends it. */
  #list(state: RequestState, principal: Principal, service: ServiceName): void {
    const { req, res, share } = state;
    if (share === undefined) return;
    const { openRequests, authenticateAgain } = this.#options;
    state.open = {
      req,
      res,
      share,
      principal,
      openedAtMs: state.startedAtMs,
      goodAtMs: state.startedAtMs,
      isChecking: false,
      authenticateAgain: () => authenticateAgain(state.credential.by, this.#sentBy(state)),
      // Other services' streams have other event formats.
      ...(service === "chat" ? { endStream: (err) => endEventStream(res, toStreamEvent(err)) } : {}),
      end: (err, reason) => this.#end(state, err, reason),
    };
    openRequests.add(state.open);
  }

  #call(state: RequestState, service: ServiceName, principal: Principal): void {
    const { req, res, requestId, ipAddress, protocol, span } = state;
    state.isServed = true;
    const user = userOfRequest(req.headers, principal);
    const onUnsent = () => {
      state.isServed = false;
    };
    const context = { requestId, principal, ipAddress, protocol, host: req.headers.host, span, user, onUnsent };
    this.#options.services[service](req, res, context).then(
      () => this.#finish(state),
      (err: unknown) => this.#fail(state, err),
    );
  }

  #refuseShare(state: RequestState, refusal: ShareRefusal): void {
    this.#options.metrics.refused(refusal.holder, refusal.bound);
    this.#refuse(state, shareRefused(refusal));
  }

  #refuse(state: RequestState, err: GatewayError): void {
    const { req, res, destination, principal, protocol } = state;
    const type = principal?.kind === "token" ? principal.project.projectType : undefined;
    const { group, projectUuid } = destination;
    const { issuers, publicUrl } = this.#options;
    const headers = challenge(req, { err, path: group.routes[0].path, projectUuid, protocol, publicUrl }, issuers);
    refuse(res, err, err.code === "method_not_allowed" ? { allow: allowedMethods(group, type) } : headers);
    this.#finish(state, err);
  }

  #end(state: RequestState, err: GatewayError, reason: EndReason): void {
    if (state.endedBy !== undefined) return;
    this.#options.metrics.ended(reason);
    const { open, res } = state;
    recordReplyEnd(res, err);
    if (reason !== "unread" && open?.endStream?.(err) === true) this.#letRead(state, err);
    else this.#cutOff(state, err);
  }

  /**
   * Waits until the client has read the last event. Its connection stays open, as the reply's head said: the reply is complete, and
   * each further request on it is authenticated.
   */
  #letRead(state: RequestState, err: GatewayError): void {
    const { req, res } = state;
    state.endedBy = err;
    state.bodyWait?.end();
    const force = setTimeout(() => req.socket.destroy(), lastEventMs);
    res.once("close", () => clearTimeout(force));
  }

  /** Aborts a request; the service sees its client leave. */
  #cutOff(state: RequestState, err: GatewayError): void {
    const { req, res } = state;
    state.endedBy = err;
    state.bodyWait?.end();
    if (res.headersSent || res.destroyed) req.socket.destroy();
    else refuse(res, err);
  }

  /** Answers for a service that could not be reached; closes the connection of one that failed midway. */
  #fail(state: RequestState, cause: unknown): void {
    const err = state.endedBy ?? recordedReplyEnd(state.res) ?? toGatewayError(cause);
    if (err.code === "internal") {
      this.#options.log.error({ err: err.cause ?? err, request_id: state.requestId }, "A request failed unexpectedly.");
    }
    const { res } = state;
    state.isServed &&= res.headersSent || res.destroyed;
    if (!res.headersSent) refuse(res, err);
    else if (state.endedBy === undefined && !res.writableEnded) res.destroy();
    this.#finish(state, err);
  }

  /** Keeps the request in the accounts until its reply has been sent. */
  #finish(state: RequestState, err?: GatewayError): void {
    const { res, span, routeId } = state;
    const { metrics, recordUnserved } = this.#options;
    const end = err ?? (res.headersSent ? undefined : replyEndOf(res));
    const status = res.headersSent ? res.statusCode : replyEndOf(res).profile.http;
    const durationMs = performance.now() - state.startedAtMs;
    metrics.observe(routeId, status, durationMs / 1_000);
    if (!state.isServed) {
      const { method, headers } = state.req;
      const user = userOfRequest(headers, state.principal);
      recordUnserved({ ...state, user, method, status, error: end, durationMs });
    }
    span.set({ "gatehouse.route": routeId, "http.response.status_code": status });
    span.end(status >= 500 ? (err ?? new Error(`status ${status}`)) : undefined);
    state.isSettled = true;
    this.#leave(state);
  }

  #leave({ isSettled, isClosed, share, open }: RequestState): void {
    if (!isSettled || !isClosed) return;
    share?.leave();
    if (open !== undefined) this.#options.openRequests.delete(open);
  }
}

type KnownAtEntry = Pick<RequestState, "requestId" | "destination" | "ipAddress" | "protocol" | "share">;

function credentialOf({ group }: Destination, method: string): AuthenticationName {
  if (isDataGroup(group)) return "token";
  const [by] = chooseControlRoute(group, method).guards;
  return by === "sign_in" ? "admin_key" : by;
}

/** Whether the credential is in the body. */
function isSignIn({ group }: Destination, method: string): boolean {
  return !isDataGroup(group) && chooseControlRoute(group, method).guards[0] === "sign_in";
}

/** Route that represents a request before its caller is known. */
function routeBefore({ group }: Destination, method: string): DataRoute | ControlRoute {
  return isDataGroup(group) ? group.routes[0] : chooseControlRoute(group, method);
}

/** Bytes of a streamed body that are in memory at once, over all stages. */
const streamedBytesHeldMax = 256 * 1024;

function routeFor({ group }: Destination, principal: Principal, method: string): DataRoute | ControlRoute {
  if (!isDataGroup(group)) return chooseControlRoute(group, method);
  return principal.kind === "admin" ? group.routes[0] : chooseRoute(group, principal.project.projectType, method);
}

function isDataGroup(group: Destination["group"]): group is RouteGroup<DataRoute> {
  return group.routes[0].plane === "data";
}
