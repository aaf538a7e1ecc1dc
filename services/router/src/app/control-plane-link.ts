import type { Logger } from "@gatehouse/telemetry";
import { IssuerList } from "../clients/issuer-list.ts";
import { type PrincipalWatch, startPrincipalWatch } from "../clients/principal-watch.ts";
import {
  createAdminKeyQuestion,
  createSessionQuestion,
  createJwtQuestion,
  concernsIssuers,
  createTokenQuestion,
  type PrincipalsClient,
} from "../clients/principals.ts";
import type { AuthenticationConfig } from "../config.ts";
import { TrustedIssuers } from "../domain/trusted-issuers.ts";
import { type Clock, PrincipalCache } from "./principal-cache.ts";

/**
 * Time after its last answer for which the control plane counts as reachable while its stream is down, and after the loss of the
 * stream for which a router without known tokens stays ready: a restart takes less.
 */
const contactMs = 10_000;

/**
 * State of the link: `memory` while the control plane is not reached, and its answers about tokens of clients are still used or
 * contact was lost a moment ago; `lost` before the first contact and afterwards.
 */
export type ControlPlaneContact = "reached" | "memory" | "lost";

interface ControlPlaneLinkOptions {
  readonly bounds: AuthenticationConfig;
  readonly client: PrincipalsClient;
  readonly log: Logger;
  readonly clock: Clock;
  readonly onInvalidated: (subject: string) => void;
}

/** See {@link createControlPlaneLink}. */
export type ControlPlaneLink = ReturnType<typeof createControlPlaneLink>;

/** Creates the caches of principals and issuers, kept current by the control plane's stream of changes. */
export function createControlPlaneLink({ bounds, client, log, clock, onInvalidated }: ControlPlaneLinkOptions) {
  const contacts = new ContactTimes(clock);
  const { questionTimeoutMs: timeoutMs } = bounds;
  const tokens = new PrincipalCache(contacts.noting(createTokenQuestion(client, timeoutMs)), bounds, clock);
  const adminKeys = new PrincipalCache(
    contacts.noting(createAdminKeyQuestion(client, timeoutMs)),
    // Refused admin keys are not cached: the control plane records each attempt as an audit event.
    { ...bounds, unknownMs: 0 },
    clock,
  );
  const jwts = new PrincipalCache(contacts.noting(createJwtQuestion(client, timeoutMs)), bounds, clock);
  const issuers = new TrustedIssuers();
  const issuerList = new IssuerList(client, issuers, timeoutMs, log);
  const sessions = new PrincipalCache(contacts.noting(createSessionQuestion(client, timeoutMs)), bounds, clock);
  const caches = [tokens, adminKeys, sessions, jwts] as const;
  const forget = (subject: string) => {
    caches.forEach((cache) => cache.invalidate(subject));
    if (concernsIssuers(subject)) issuerList.renew();
    onInvalidated(subject);
  };
  let watch: PrincipalWatch | undefined;
  const isWatchConnected = () => watch?.isConnected() ?? false;
  return {
    tokens,
    adminKeys,
    sessions,
    /** Invalidates this router's cache at once; other routers are notified by the stream. */
    forget,
    jwts: { cache: jwts, issuers },
    issuers,
    isWatchConnected,
    contact(): ControlPlaneContact {
      if (isWatchConnected() || contacts.hasAnsweredLately) return "reached";
      return tokens.mayServeStale || jwts.mayServeStale || contacts.wasLostLately ? "memory" : "lost";
    },
    start() {
      watch = startPrincipalWatch({
        client,
        log,
        onConnected: () => {
          caches.forEach((cache) => (cache.distrust(), cache.reached()));
          issuerList.renew();
        },
        onLost: () => {
          contacts.streamLost();
          caches.forEach((cache) => cache.distrust());
        },
        onInvalidated: forget,
      });
    },
    stop() {
      watch?.stop();
      issuerList.stop();
    },
  };
}

/** Times of the last answer and of the last loss of the stream. */
class ContactTimes {
  readonly #clock: Clock;
  #answeredAtMs = -Infinity;
  #streamLostAtMs = -Infinity;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get hasAnsweredLately(): boolean {
    return this.#clock.now() - this.#answeredAtMs < contactMs;
  }

  get wasLostLately(): boolean {
    return this.#clock.now() - this.#streamLostAtMs < contactMs;
  }

  streamLost(): void {
    this.#streamLostAtMs = this.#clock.now();
  }

  /** The question, which notes the time of each answer. */
  noting<Args extends unknown[], T>(ask: (...args: Args) => Promise<T>): (...args: Args) => Promise<T> {
    return async (...args) => {
      const answer = await ask(...args);
      this.#answeredAtMs = this.#clock.now();
      return answer;
    };
  }
}
