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

/** Time after the last answer for which the control plane counts as reached while its stream is down. */
const reachedWithinMs = 10_000;

interface ControlPlaneLinkOptions {
  readonly bounds: AuthenticationConfig;
  readonly client: PrincipalsClient;
  readonly log: Logger;
  readonly clock: Clock;
  /** Called after the caches have forgotten the subject. */
  readonly onInvalidated: (subject: string) => void;
}

/** The router's link to the control plane: caches, issuers, and the stream that keeps them current. */
export type ControlPlaneLink = ReturnType<typeof createControlPlaneLink>;

/** The router's cache of principals, kept current by the control plane's stream. */
export function createControlPlaneLink({ bounds, client, log, clock, onInvalidated }: ControlPlaneLinkOptions) {
  let answeredAtMs = -Infinity;
  const noting =
    <Args extends unknown[], T>(ask: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      const answer = await ask(...args);
      answeredAtMs = clock.now();
      return answer;
    };
  const { questionTimeoutMs: timeoutMs } = bounds;
  const tokens = new PrincipalCache(noting(createTokenQuestion(client, timeoutMs)), bounds, clock);
  const adminKeys = new PrincipalCache(
    noting(createAdminKeyQuestion(client, timeoutMs)),
    // Every refused admin key is an audit event of the control plane, so it must hear of each attempt.
    { ...bounds, unknownMs: 0 },
    clock,
  );
  const jwts = new PrincipalCache(noting(createJwtQuestion(client, timeoutMs)), bounds, clock);
  const issuers = new TrustedIssuers();
  const issuerList = new IssuerList(client, issuers, timeoutMs, log);
  const sessions = new PrincipalCache(noting(createSessionQuestion(client, timeoutMs)), bounds, clock);
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
    /** At once here; other routers learn of it by the stream. */
    forget,
    /** JWTs of issuers that projects trust. */
    jwts: { cache: jwts, issuers },
    issuers,
    isWatchConnected,
    isReached: () => isWatchConnected() || clock.now() - answeredAtMs < reachedWithinMs,
    start() {
      watch = startPrincipalWatch({
        client,
        log,
        onConnected: () => {
          caches.forEach((cache) => (cache.distrust(), cache.reached()));
          issuerList.renew();
        },
        onLost: () => caches.forEach((cache) => cache.distrust()),
        onInvalidated: forget,
      });
    },
    stop() {
      watch?.stop();
      issuerList.stop();
    },
  };
}
