import { bothAnswers } from "@gatehouse/database";
import type { Statement, Statements } from "./statements.ts";

/** Key of a ledger: a payer in one month. */
export interface LedgerKey {
  /** UUID of the endpoint, or one derived from a token and its user (`known-users.ts`). */
  readonly endpointUuid: string;
  readonly month: string;
  readonly projectUuid: string;
}

/**
 * Creates missing rows and locks all others, in one pass in the order of the keys; in two passes, a row created between them
 * would be locked out of order. `WHERE false` locks a row without changing it.
 */
const lock: Statement = {
  name: "allowances-ledgers-lock",
  text: `INSERT INTO budget_ledgers AS g (endpoint_uuid, month, project_uuid)
SELECT endpoint_uuid, month, project_uuid FROM unnest($1::uuid[], $2::text[], $3::uuid[]) AS k(endpoint_uuid, month, project_uuid)
ORDER BY endpoint_uuid, month
ON CONFLICT (endpoint_uuid, month) DO UPDATE SET project_uuid = excluded.project_uuid WHERE false`,
};

/**
 * Locks the ledgers for the rest of the transaction, creating missing ones. Every change to a ledger or its leases does this
 * first, always in the order of the keys, so that changes are serialised and cannot deadlock.
 */
export async function lockLedgers(statements: Statements, keys: readonly LedgerKey[]): Promise<void> {
  const endpoints = keys.map(({ endpointUuid }) => endpointUuid);
  const months = keys.map(({ month }) => month);
  await statements.run(lock, [endpoints, months, keys.map(({ projectUuid }) => projectUuid)]);
}

/** Locks ledgers as {@link lockLedgers} does, and runs a statement under the locks; both are sent together. */
export async function runLocked<Row extends object>(
  statements: Statements,
  keys: readonly LedgerKey[],
  statement: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  const [, rows] = await bothAnswers(lockLedgers(statements, keys), statements.run<Row>(statement, values));
  return rows;
}
