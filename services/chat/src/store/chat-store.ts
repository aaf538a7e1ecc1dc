import type { AuditInitiator } from "@gatehouse/audit";
import type { OutboxKernel, Reading, Store } from "@gatehouse/service";
import { type Prisma, PrismaClient } from "../generated/prisma/client.ts";

export { unchanged } from "@gatehouse/service";

/** Client inside `ChatStore.write`: its changes commit with their announcements and audit events, or not at all. */
export type Transaction = Prisma.TransactionClient;
/** A client for reads, inside a transaction or outside. */
export type Reader = Reading<PrismaClient>;

/** Parts of the configuration that all replicas must reload. */
export type ConfigurationChange =
  | { readonly subject: "endpoint"; readonly projectUuid: string; readonly slug: string }
  /** Reloaded as a whole: providers and credentials are few, and any endpoint may use them. */
  | { readonly subject: "providers" };

/** Announcement of a changed provider or credential: every replica drops all its cached endpoints. */
export const providersChanged: readonly ConfigurationChange[] = [{ subject: "providers" }];

/** Store of endpoints, providers and sessions; announces which configuration a change invalidates. */
export type ChatStore = Store<PrismaClient, Transaction, ConfigurationChange>;

/** Store with the initiator that the audit events of a change name; made by `writing` for each operation. */
export interface ChatWriteContext extends ChatStore {
  readonly initiator: AuditInitiator;
}

/** Opens the store, whose changes are announced to every replica. */
export function openChatStore(kernel: OutboxKernel): ChatStore {
  return kernel.openStore((adapter) => new PrismaClient({ adapter }));
}
