import type { ChangeFeed, Database } from "@gatehouse/database";
import type { Secret } from "@gatehouse/vault";
import type { SessionBounds } from "../domain/console-session.ts";
import { PrismaClient } from "../generated/prisma/client.ts";
import { type AuditTrail, createAuditTrail } from "./audit-trail.ts";
import { type AccessTokenStore, createAccessTokenStore } from "./access-tokens.ts";
import { type AdminKeyStore, createAdminKeyStore } from "./admin-key-store.ts";
import { type EnvironmentKey, settleAdminKeys } from "./admin-keys.ts";
import { type ConsoleSessionStore, createConsoleSessionStore } from "./console-sessions.ts";
import { createIssuerStore, type IssuerStore } from "./issuers.ts";
import { createProjectStore, type ProjectStore } from "./projects.ts";
import { createTransactor } from "./transactor.ts";

/** Stores of everything that administrators change. Every change is announced on the feed, and its audit event recorded, as it commits. */
export interface ControlPlaneStore {
  readonly audit: AuditTrail;
  readonly projects: ProjectStore;
  readonly tokens: AccessTokenStore;
  readonly adminKeys: AdminKeyStore;
  readonly sessions: ConsoleSessionStore;
  readonly issuers: IssuerStore;
  /** See {@link settleAdminKeys}. */
  settleAdminKeys(environmentKey: EnvironmentKey, onMinted: (key: Secret) => void): Promise<void>;
  /** Leaves the database's pool open. */
  close(): Promise<void>;
}

export interface ControlPlaneStoreOptions {
  readonly sessions: SessionBounds;
  readonly now: () => Date;
  /** Runs when something was committed that may have recorded an event. */
  readonly onCommitted: () => void;
}

export function createControlPlaneStore(
  database: Database,
  feed: ChangeFeed,
  { sessions: bounds, now, onCommitted }: ControlPlaneStoreOptions,
): ControlPlaneStore {
  const prisma = new PrismaClient({ adapter: database.prismaAdapter() });
  const transact = createTransactor(prisma, feed, onCommitted);
  return {
    audit: createAuditTrail(database, onCommitted),
    projects: createProjectStore(prisma, transact),
    tokens: createAccessTokenStore(prisma, transact),
    adminKeys: createAdminKeyStore(prisma, transact),
    sessions: createConsoleSessionStore({ prisma, transact, bounds, now }),
    issuers: createIssuerStore(prisma, transact),
    settleAdminKeys: async (environmentKey, onMinted) => await settleAdminKeys(transact, environmentKey, onMinted),
    close: async () => await prisma.$disconnect(),
  };
}
