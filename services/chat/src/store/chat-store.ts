import type { AuditInitiator } from "@gatehouse/audit";
import type { OutboxKernel, Reading, Store } from "@gatehouse/service";
import { type Prisma, PrismaClient } from "../generated/prisma/client.ts";

export { unchanged } from "@gatehouse/service";

/** The client inside one transaction of `write`. */
export type Transaction = Prisma.TransactionClient;
/** A client that reads, inside a transaction or outside. */
export type Reader = Reading<PrismaClient>;

/** Parts that other replicas, and this one, must read again. */
export type ConfigurationChange =
  | { readonly subject: "endpoint"; readonly projectUuid: string; readonly slug: string }
  /** Providers and credentials are few and concern every endpoint. */
  | { readonly subject: "providers" };

/** Announced after a change of a provider or a credential. */
export const providersChanged: readonly ConfigurationChange[] = [{ subject: "providers" }];

/** Endpoints, providers and sessions; a change announces the configuration that it makes old. */
export type ChatStore = Store<PrismaClient, Transaction, ConfigurationChange>;

/** Context of changes: the caller who asks for them. */
export interface ChatWriteContext extends ChatStore {
  readonly initiator: AuditInitiator;
}

/** Opens the store whose changes every replica hears of. */
export function openChatStore(kernel: OutboxKernel): ChatStore {
  return kernel.openStore((adapter) => new PrismaClient({ adapter }));
}
