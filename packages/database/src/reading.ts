import { toDatabaseError } from "./errors.ts";

/** A Prisma transaction, as far as packages need it; every service has a client of its own. */
export interface PrismaTransaction {
  $executeRawUnsafe(sql: string, ...values: unknown[]): PromiseLike<number>;
}

/** Runs a question to the database, reporting an unreachable one as `unavailable`. */
export async function reading<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (err) {
    throw toDatabaseError(err);
  }
}
