import type { Database } from "@gatehouse/database";
import type { OutboxKernel, Reading, Store } from "@gatehouse/service";
import type { Keyring } from "@gatehouse/vault";
import { type Prisma, PrismaClient } from "../generated/prisma/client.ts";

/** Client inside `ApiProxyStore.write`: its changes commit with their announcements and audit events, or not at all. */
export type Transaction = Prisma.TransactionClient;
/** Client of `ApiProxyStore.read`, or a transaction, limited to methods that change nothing. */
export type Reader = Reading<PrismaClient>;

/** A change that invalidates the caches of every replica. */
export type ConfigurationChange =
  | { readonly subject: "endpoint"; readonly projectUuid: string; readonly slug: string }
  | { readonly subject: "connection"; readonly connectionId: number };

/** Configuration store of the service; changes commit with their announcements and events. */
export interface ApiProxyStore extends Store<PrismaClient, Transaction, ConfigurationChange> {
  readonly database: Database;
  readonly keyring: Keyring;
}

/** Opens the store, which the service closes. */
export function openApiProxyStore(kernel: OutboxKernel, keyring: Keyring): ApiProxyStore {
  const store = kernel.openStore<PrismaClient, Transaction, ConfigurationChange>(
    (adapter) => new PrismaClient({ adapter }),
  );
  return { ...store, keyring, database: kernel.database };
}
