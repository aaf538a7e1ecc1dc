import type { Statement, Statements } from "./allowances-statements.ts";

export interface LedgerKey {
  readonly endpointUuid: string;
  readonly month: string;
  readonly projectUuid: string;
}

const lock: Statement = {
  name: "allowances-ledgers-lock",
  text: `SELECT 1 FROM budget_ledgers g JOIN unnest($1::uuid[], $2::text[]) AS k(endpoint_uuid, month)
  ON g.endpoint_uuid = k.endpoint_uuid AND g.month = k.month
ORDER BY g.endpoint_uuid, g.month FOR UPDATE OF g`,
};

const make: Statement = {
  name: "allowances-ledgers-make",
  text: `INSERT INTO budget_ledgers (endpoint_uuid, month, project_uuid)
SELECT endpoint_uuid, month, project_uuid FROM unnest($1::uuid[], $2::text[], $3::uuid[]) AS k(endpoint_uuid, month, project_uuid)
ORDER BY endpoint_uuid, month
ON CONFLICT (endpoint_uuid, month) DO NOTHING`,
};

/**
 * Locks the ledgers for the rest of the transaction, making those that are absent. Every change to a ledger or its leases
 * comes after this, and it always locks in the order of the keys: changes are serialised and cannot deadlock.
 */
export async function lockLedgers(statements: Statements, keys: readonly LedgerKey[]): Promise<void> {
  const endpoints = keys.map(({ endpointUuid }) => endpointUuid);
  const months = keys.map(({ month }) => month);
  const locked = await statements.run(lock, [endpoints, months]);
  if (locked.length === keys.length) return;
  await statements.run(make, [endpoints, months, keys.map(({ projectUuid }) => projectUuid)]);
  await statements.run(lock, [endpoints, months]);
}
