import type { NewAuditEvent } from "@gatehouse/audit";
import type { AnswerOnce, OutboxKernel } from "@gatehouse/service";
import type { Secret } from "@gatehouse/vault";
import type { SessionBounds } from "../domain/console-session.ts";
import { type AccessTokenStore, createAccessTokenStore } from "./access-tokens.ts";
import { type AdminKeyStore, createAdminKeyStore } from "./admin-keys.ts";
import { type ConsoleSessionStore, createConsoleSessionStore } from "./console-sessions.ts";
import { createIssuerStore, type IssuerStore } from "./issuers.ts";
import { openPrincipalStore } from "./principal-store.ts";
import { createProjectStore, type ProjectStore } from "./projects.ts";
import { type EnvironmentKey, reconcileAdminKeys } from "./reconcile-admin-keys.ts";

/** Records events that change nothing stored. */
export interface AuditTrail {
  /** @throws GatewayError `unavailable` without the database */
  record(event: NewAuditEvent): Promise<void>;
}

/**
 * Stores of everything that administrators change. Announces every change on the feed and records its audit event in the same
 * transaction.
 */
export interface ControlPlaneStore {
  readonly answerOnce: AnswerOnce;
  readonly audit: AuditTrail;
  readonly projects: ProjectStore;
  readonly tokens: AccessTokenStore;
  readonly adminKeys: AdminKeyStore;
  readonly sessions: ConsoleSessionStore;
  readonly issuers: IssuerStore;
  /** See {@link reconcileAdminKeys}. */
  reconcileAdminKeys(environmentKey: EnvironmentKey, onMinted: (key: Secret) => void): Promise<void>;
}

/** All stores of the Control Plane, on one pool and one outbox. */
export function createControlPlaneStore(
  kernel: Pick<OutboxKernel, "openStore">,
  bounds: SessionBounds,
  wallNow: () => number,
): ControlPlaneStore {
  const store = openPrincipalStore(kernel);
  return {
    answerOnce: store.answerOnce,
    audit: {
      record: async (event) => await store.write(async () => ({ result: undefined, changes: [], events: [event] })),
    },
    projects: createProjectStore(store),
    tokens: createAccessTokenStore(store),
    adminKeys: createAdminKeyStore(store),
    sessions: createConsoleSessionStore(store, bounds, wallNow),
    issuers: createIssuerStore(store),
    reconcileAdminKeys: async (environmentKey, onMinted) => await reconcileAdminKeys(store, environmentKey, onMinted),
  };
}
