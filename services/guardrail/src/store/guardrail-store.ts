import { type ChangeFeed, createTransactor, type Database } from "@gatehouse/database";
import { PrismaClient } from "../generated/prisma/client.ts";
import type { PolicyTransactor } from "./policies.ts";

export interface GuardrailStore {
  /** Announces the uuids of owners whose policies it changed. */
  readonly transact: PolicyTransactor;
  close(): Promise<void>;
}

/** @param onCommitted runs after every transaction that is committed. */
export function createGuardrailStore(database: Database, changes: ChangeFeed, onCommitted: () => void): GuardrailStore {
  const prisma = new PrismaClient({ adapter: database.prismaAdapter() });
  const transact: PolicyTransactor = createTransactor(prisma, changes, (ownerUuid: string) => ownerUuid);
  return {
    async transact(work) {
      const result = await transact(work);
      onCommitted();
      return result;
    },
    close: async () => await prisma.$disconnect(),
  };
}
