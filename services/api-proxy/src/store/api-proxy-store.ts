import type { Database } from "@gatehouse/database";
import type { OutboxKernel, Reading, Store } from "@gatehouse/service";
import type { Keyring } from "@gatehouse/vault";
import { type Prisma, PrismaClient } from "../generated/prisma/client.ts";

/** The client inside one transaction of `write`. */
export type Transaction = Prisma.TransactionClient;
/** A client that only reads. */
export type Reader = Reading<PrismaClient>;

/** A change that every replica must read again. */
export type ConfigurationChange =
  | { readonly subject: "endpoint"; readonly projectUuid: string; readonly slug: string }
  | { readonly subject: "connection"; readonly connectionId: number };

/** Configuration of the service: changes go with their announcements and events. */
export interface ApiProxyStore extends Store<PrismaClient, Transaction, ConfigurationChange> {
  readonly database: Database;
  /** Seals and opens secrets at rest. */
  readonly keyring: Keyring;
}

/** Opens the store; it is closed with the service. */
export function openApiProxyStore(kernel: OutboxKernel, keyring: Keyring): ApiProxyStore {
  const store = kernel.openStore<PrismaClient, Transaction, ConfigurationChange>(
    (adapter) => new PrismaClient({ adapter }),
  );
  return { ...store, keyring, database: kernel.database };
}
