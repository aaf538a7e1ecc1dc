import type { Statement, Statements } from "./statements.ts";

/** One row of the ledger: a payer in one month. */
export interface LedgerKey {
  /** Uuid of the endpoint, or one made of a token and its user (`known-users.ts`). */
  readonly endpointUuid: string;
  readonly month: string;
  readonly projectUuid: string;
}

/**
 * Makes the rows that are absent and locks the others, in one pass in the order of the keys. Where it was two, one to lock and
 * one to make, a row that came into being between them was locked out of order. `WHERE false` locks a row and leaves it.
 */
const lock: Statement = {
  name: "allowances-ledgers-lock",
  text: `INSERT INTO budget_ledgers AS g (endpoint_uuid, month, project_uuid)
SELECT endpoint_uuid, month, project_uuid FROM unnest($1::uuid[], $2::text[], $3::uuid[]) AS k(endpoint_uuid, month, project_uuid)
ORDER BY endpoint_uuid, month
ON CONFLICT (endpoint_uuid, month) DO UPDATE SET project_uuid = excluded.project_uuid WHERE false`,
};

/**
 * Locks the ledgers for the rest of the transaction, making those that are absent. Every change to a ledger or its leases
 * comes after this, and it always locks in the order of the keys: changes are serialised and cannot deadlock.
 */
export async function lockLedgers(statements: Statements, keys: readonly LedgerKey[]): Promise<void> {
  const endpoints = keys.map(({ endpointUuid }) => endpointUuid);
  const months = keys.map(({ month }) => month);
  await statements.run(lock, [endpoints, months, keys.map(({ projectUuid }) => projectUuid)]);
}
