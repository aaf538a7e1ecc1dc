import type { Logger } from "@gatehouse/telemetry";
import type { AuthenticationConfig } from "../config.ts";
import type { Clock } from "../domain/clock.ts";
import { PrincipalCache } from "../domain/principal-cache.ts";
import { type PrincipalWatch, startPrincipalWatch } from "./principal-watch.ts";
import {
  createAdminKeyQuestion,
  createSessionQuestion,
  createTokenQuestion,
  type PrincipalsClient,
} from "./principals.ts";

/** How long after the last answer the control plane counts as reached while its stream is down. */
const reachedWithinMs = 10_000;

export interface ControlPlaneLinkOptions {
  readonly bounds: AuthenticationConfig;
  readonly client: PrincipalsClient;
  readonly log: Logger;
  readonly clock: Clock;
  /** Called after the caches have forgotten the subject. */
  readonly onInvalidated: (subject: string) => void;
}

export type ControlPlaneLink = ReturnType<typeof createControlPlaneLink>;

/** What the router knows of principals, kept true by the control plane's stream. */
export function createControlPlaneLink({ bounds, client, log, clock, onInvalidated }: ControlPlaneLinkOptions) {
  let answeredAtMs = -Infinity;
  const noting =
    <Args extends unknown[], T>(ask: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> => {
      const answer = await ask(...args);
      answeredAtMs = clock.elapsedMs();
      return answer;
    };
  const tokens = new PrincipalCache({
    ask: noting(createTokenQuestion(client, bounds.questionTimeoutMs)),
    bounds,
    clock,
  });
  const adminKeys = new PrincipalCache({
    ask: noting(createAdminKeyQuestion(client, bounds.questionTimeoutMs)),
    // Every refused admin key is an audit event of the control plane, so it must hear of each attempt.
    bounds: { ...bounds, unknownMs: 0 },
    clock,
  });
  const sessions = new PrincipalCache({
    ask: noting(createSessionQuestion(client, bounds.questionTimeoutMs)),
    bounds,
    clock,
  });
  const caches = [tokens, adminKeys, sessions] as const;
  const forget = (subject: string) => {
    caches.forEach((cache) => cache.invalidate(subject));
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
    isWatchConnected,
    isReached: () => isWatchConnected() || clock.elapsedMs() - answeredAtMs < reachedWithinMs,
    start() {
      watch = startPrincipalWatch({
        client,
        log,
        onConnected: () => caches.forEach((cache) => (cache.distrust(), cache.reached())),
        onLost: () => caches.forEach((cache) => cache.distrust()),
        onInvalidated: forget,
      });
    },
    stop: () => watch?.stop(),
  };
}
