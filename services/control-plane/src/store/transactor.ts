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

/** @param onCommitted runs after every transaction that is committed. */
export function createTransactor(prisma: PrismaClient, feed: ChangeFeed, onCommitted: () => void): Transactor {
  const transact = createPlainTransactor<Transaction, PrincipalChange>(prisma, feed, encodePrincipalChange);
  return async (work) => {
    const result = await transact(work);
    onCommitted();
    return result;
  };
}
