import { type ChangeFeed, createTransactor, type Database, type Transactor } from "@gatehouse/database";
import { type Prisma, PrismaClient } from "../generated/prisma/client.ts";

/** The uuid of the project whose upstreams have changed. */
export type UpstreamChange = string;

export type UpstreamTransaction = Prisma.TransactionClient;
export type UpstreamTransactor = Transactor<UpstreamTransaction, UpstreamChange>;

export interface AggregatorStore {
  /** Announces the uuids of projects whose upstreams it changed. */
  readonly transact: UpstreamTransactor;
  close(): Promise<void>;
}

export function createAggregatorStore(database: Database, changes: ChangeFeed): AggregatorStore {
  const prisma = new PrismaClient({ adapter: database.prismaAdapter() });
  return {
    transact: createTransactor(prisma, changes, (projectUuid: string) => projectUuid),
    close: async () => await prisma.$disconnect(),
  };
}
