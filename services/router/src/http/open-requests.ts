import type { IncomingMessage, ServerResponse } from "node:http";
import { ArraySet } from "@gatehouse/async";
import { GatewayError, isGatewayError, toGatewayError } from "@gatehouse/errors";
import { recordReplyEnd, unsentLength } from "@gatehouse/http";
import { isMediaType } from "@gatehouse/http-fields";
import type { Principal } from "@gatehouse/principal";
import type { Authenticated } from "../app/authenticate.ts";
import { invalidToken } from "../domain/bearer.ts";
import { brokenStream } from "../domain/broken-stream-event.ts";
import type { OpenRequestShare } from "../domain/fair-share-limiter.ts";
import type { EndReason } from "../metrics.ts";
import { shareRefused } from "./share-refusal.ts";

/** A request that a service handles, or whose reply is still being sent. */
export interface OpenRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly share: OpenRequestShare;
  readonly principal: Principal;
  /** Monotonic milliseconds, as `performance.now`. */
  readonly openedAtMs: number;
  /** Latest time at which its credential was known to be valid. */
  goodAtMs: number;
  isChecking: boolean;
  /** Authenticates the caller again. */
  readonly authenticateAgain: () => Authenticated | Promise<Authenticated>;
  /**
   * Ends an event stream with an error event; absent where the client would not understand it.
   * @returns whether the event was written
   */
  readonly endStream?: (err: GatewayError) => boolean;
  /** Ends the request: with an error response if none has begun, else by closing the connection. */
  readonly end: (err: GatewayError, reason: EndReason) => void;
}

/**
 * Interval of passes over open requests. A revocation whose notice is lost is detected within the cache's `freshMs` plus twice
 * this.
 */
const lookMs = 250;
/** Age from which a request's credential is checked in each pass; younger requests have just been checked. */
const longLivedMs = 1_000;
/** Time for which a request stays open while its credential can no longer be checked, not even from the cache. */
const uncheckedMsMax = 5_000;

/**
 * Open requests, which end when their credential is revoked, deleted, rotated or expired, or when their client stops reading. One
 * pass over all, periodically and at each notice of a change, checks each credential once; open requests are few.
 */
export class OpenRequests {
  readonly #subjectsOf: (principal: Principal) => readonly string[];
  readonly #open = new ArraySet<OpenRequest>();
  readonly #invalidated = new Set<string>();
  #isStarted = false;
  #isEnded = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(subjectsOf: (principal: Principal) => readonly string[]) {
    this.#subjectsOf = subjectsOf;
  }

  get size(): number {
    return this.#open.size;
  }

  start(): void {
    this.#isStarted = true;
    if (this.#open.size > 0) this.#lookLater();
  }

  stop(): void {
    this.#isStarted = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  add(request: OpenRequest): void {
    this.#open.add(request);
    if (this.#timer === undefined) this.#lookLater();
  }

  /** No timer while no request is open. */
  #lookLater(): void {
    if (!this.#isStarted) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.look();
      if (this.#open.size > 0 && this.#timer === undefined) this.#lookLater();
    }, lookMs).unref();
  }

  delete(request: OpenRequest): void {
    this.#open.delete(request);
  }

  /** Handles a change of a principal; the notices of one tick share a pass. */
  invalidate(subject: string): void {
    if (this.#open.size === 0) return;
    if (this.#invalidated.size === 0) setImmediate(() => this.#checkInvalidated());
    this.#invalidated.add(subject);
  }

  /** Refusal of a further request once {@link endAll} has run: it would be cut off. Kept connections still bring some. */
  get refusal(): GatewayError | undefined {
    return this.#isEnded ? stopping() : undefined;
  }

  /** Ends event streams and requests without a reply before the router stops and closes their connections. */
  endAll(): void {
    this.#isEnded = true;
    for (const { res, end, endStream } of this.#open.members()) {
      if (!res.headersSent) end(stopping(), "stopping");
      else {
        recordReplyEnd(res, brokenStream());
        endStream?.(brokenStream());
      }
    }
  }

  look(): void {
    const nowMs = performance.now();
    const longLived: OpenRequest[] = [];
    for (const request of this.#open.members()) {
      measure(request);
      if (nowMs - request.openedAtMs >= longLivedMs) longLived.push(request);
    }
    this.#endUnread();
    this.#check(longLived);
  }

  #checkInvalidated(): void {
    const subjects = [...this.#invalidated];
    this.#invalidated.clear();
    const touched = this.#open.members().filter(({ principal }) => {
      const own = this.#subjectsOf(principal);
      return subjects.some((subject) => own.includes(subject));
    });
    this.#check(touched);
  }

  /** Requests with the same principal object, which the cache shares, have one credential. */
  #check(requests: readonly OpenRequest[]): void {
    const byPrincipal = Map.groupBy(requests, ({ principal }) => principal);
    for (const group of byPrincipal.values()) {
      const [first] = group;
      if (first === undefined || !this.#open.has(first) || first.isChecking) continue;
      const authenticated = first.authenticateAgain();
      if (authenticated instanceof Promise) this.#checkLater(group, authenticated);
      else this.#judge(group, authenticated);
    }
  }

  #checkLater(group: readonly OpenRequest[], authenticated: Promise<Authenticated>): void {
    const setChecking = (isChecking: boolean) => {
      for (const request of group) request.isChecking = isChecking;
    };
    setChecking(true);
    const onChecked = (outcome: Authenticated) => {
      setChecking(false);
      this.#judge(group, outcome);
    };
    authenticated.then(onChecked, (err: unknown) => onChecked(toGatewayError(err)));
  }

  #judge(group: readonly OpenRequest[], outcome: Authenticated): void {
    const nowMs = performance.now();
    for (const request of group) {
      if (!this.#open.has(request)) continue;
      if (!isGatewayError(outcome)) request.goodAtMs = nowMs;
      // Any 401: a JWT whose issuer is no longer trusted has no token's form.
      else if (outcome.profile.http === 401) request.end(invalidToken(), "revoked");
      else if (nowMs - request.goodAtMs >= uncheckedMsMax) request.end(outcome, "unchecked");
    }
  }

  /** Ends unread replies of callers over their share, the largest first. */
  #endUnread(): void {
    const unread = this.#open.members().filter(({ share }) => share.unsentBytes > 0 && share.overdrawn() !== undefined);
    unread.sort((one, other) => other.share.unsentBytes - one.share.unsentBytes);
    for (const request of unread) {
      const refusal = request.share.overdrawn();
      if (refusal === undefined) continue;
      request.end(shareRefused(refusal), "unread");
      request.share.setUnsent(0);
    }
  }
}

const eventStream = "text/event-stream";

function stopping(): GatewayError {
  return new GatewayError(
    "unavailable",
    "The gateway is restarting and could not wait for the call to end. Try again shortly.",
    {
      retryAfterSeconds: 1,
    },
  );
}

/** Updates amounts that are known only once the reply has begun. */
function measure({ req, res, share }: OpenRequest): void {
  // After an upgrade to WebSocket the response no longer refers to the connection.
  share.setUnsent(res.statusCode === 101 ? req.socket.writableLength : unsentLength(res));
  if (res.headersSent && isMediaType(String(res.getHeader("content-type") ?? ""), eventStream)) share.markStream();
}
