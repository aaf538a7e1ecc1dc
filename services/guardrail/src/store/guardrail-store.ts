import { type ChangeFeed, createTransactor, type Database } from "@gatehouse/database";
import { PrismaClient } from "../generated/prisma/client.ts";
import type { PolicyTransactor } from "./policies.ts";

export interface GuardrailStore {
  /** Announces the uuids of owners whose policies it changed. */
  readonly transact: PolicyTransactor;
  close(): Promise<void>;
}

export function createGuardrailStore(database: Database, changes: ChangeFeed): GuardrailStore {
  const prisma = new PrismaClient({ adapter: database.prismaAdapter() });
  return {
    transact: createTransactor(prisma, changes, (ownerUuid: string) => ownerUuid),
    close: async () => await prisma.$disconnect(),
  };
}
