import { type Database, inTransaction as inClientTransaction } from "@gatehouse/database";
import { allowanceBounds } from "../decisions/index.ts";

/** Prepared statement: Postgres plans `text` once per connection and `name`, so a name belongs to one text. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** Runs prepared statements, each within its time bound. */
export interface Statements {
  run<Row extends object>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
}

/** The database's time in SQL; tests replace it. */
export const databaseNow = "clock_timestamp()";

/** Epoch milliseconds of a timestamp expression, as a number that pg does not turn into text. */
export function epochMs(expression: string): string {
  return `(extract(epoch FROM ${expression}) * 1000)::float8`;
}

/** Statements outside of transactions, each on any free connection of the pool. */
export function poolStatements(database: Database): Statements {
  return { run: async (statement, values) => await runOn(database.pool, statement, values) };
}

/**
 * Runs work in one transaction (READ COMMITTED) on one connection; a failed connection is not reused. All statements take arrays,
 * so their plans are generic. Statements that do not await each other are sent together.
 */
export async function inTransaction<T>(
  database: Database,
  work: (statements: TransactionStatements) => Promise<T>,
): Promise<T> {
  return await inClientTransaction(
    database,
    async (client) =>
      await work({
        run: async (statement, values) => await runOn(client, statement, values),
        query: async (sql, values) => await client.query(sql, [...values]),
      }),
    { plans: "generic", isPipelined: true },
  );
}

interface TransactionStatements extends Statements {
  /** Runs another module's statement inside the transaction. */
  query(sql: string, values: readonly unknown[]): Promise<unknown>;
}

interface Runner {
  query(config: Statement & { readonly values: unknown[] }): Promise<{ readonly rows: unknown[] }>;
}

/** Row types are asserted by the statement's author. */
async function runOn<Row extends object>(
  runner: Runner,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const config = { name, text, values: [...values], query_timeout: allowanceBounds.statementTimeoutMs };
  const { rows } = await runner.query(config);
  return rows as Row[];
}
