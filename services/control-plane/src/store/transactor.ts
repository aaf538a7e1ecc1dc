import {
  type Announce as AnnounceChange,
  type ChangeFeed,
  createTransactor as createPlainTransactor,
  type Transactor as PlainTransactor,
} from "@gatehouse/database";
import { encodePrincipalChange, type PrincipalChange } from "../domain/principal-change.ts";
import type { Prisma, PrismaClient } from "../generated/prisma/client.ts";

export type Transaction = Prisma.TransactionClient;

/** Tells the routers of a change when, and only when, the transaction commits. */
export type Announce = AnnounceChange<PrincipalChange>;

export type Transactor = PlainTransactor<Transaction, PrincipalChange>;

export function createTransactor(prisma: PrismaClient, feed: ChangeFeed): Transactor {
  return createPlainTransactor<Transaction, PrincipalChange>(prisma, feed, encodePrincipalChange);
}
