import { toDatabaseError } from "./errors.ts";

/** A Prisma transaction, as far as packages need it; every service generates its client. */
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
