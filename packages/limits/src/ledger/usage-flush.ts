import type { Database } from "@gatehouse/database";
import { hasCode } from "@gatehouse/errors";
import type { Month } from "../decisions/month.ts";
import { firstsOf, toUsageBlocks, type UsageBlock } from "../decisions/usage-block.ts";
import type { UsageRow } from "../decisions/usage-row.ts";
import { appendBlocks } from "./append-blocks.ts";
import type { LedgerKey } from "./ledgers.ts";
import { type Flush, type LedgerRow, mergeRows } from "./merge-rows.ts";

/** One ledger after a flush, in micro-dollars, from which the replica corrects its lease. */
export interface FlushedLedger {
  readonly endpointUuid: string;
  readonly month: Month;
  readonly spentMicros: number;
  /** Amount left of this replica's lease. */
  readonly leaseMicros: number;
}

/** Usage rows written in one transaction, as one block or one by one. */
export interface UsageBatch {
  /** Id of their block, unchanged over all attempts to write it; absent for rows that are stored one by one. */
  readonly block: string | undefined;
  readonly rows: readonly UsageRow[];
  /** Whether the block was refused; those of its rows that are not stored yet are then stored one by one. */
  isSplit?: boolean;
}

/**
 * Writes rows and adds their costs to the ledgers, in one transaction; stored rows change nothing.
 * @throws RangeError for a block whose summed cost is not a safe integer
 */
export async function flushUsage(
  database: Database,
  replicaId: string,
  batch: UsageBatch,
): Promise<readonly FlushedLedger[]> {
  const after = await writeRows(database, replicaId, batch);
  return after.map(({ endpoint_uuid: endpointUuid, month, spent, lease }) => {
    return { endpointUuid, month, spentMicros: spent, leaseMicros: lease };
  });
}

async function writeRows(database: Database, replicaId: string, batch: UsageBatch): Promise<readonly LedgerRow[]> {
  const { block: id, rows, isSplit } = batch;
  if (id === undefined || isSplit === true)
    return await mergeRows(database, { replicaId, keys: distinctLedgers(rows) }, batch);
  const blocks = toUsageBlocks(rows);
  // Checked here rather than by the database, so that the same rows always have the same outcome.
  if (!blocks.every(hasExactSums)) throw new RangeError("The sums of a block of usage rows are too large.");
  const flush: Flush = { replicaId, keys: distinctLedgers(firstsOf(blocks)) };
  try {
    return await appendBlocks(database, flush, id, blocks);
  } catch (err) {
    if (!isUniqueViolation(err)) throw err;
    // Usually all rows of the block are stored already; a spill file may have held only some of them.
    return await mergeRows(database, flush, batch);
  }
}

/** Whether the sum is a safe integer; false only for absurd costs. */
function hasExactSums({ kinds }: UsageBlock): boolean {
  return Number.isSafeInteger(kinds.reduce((sum, { costMicros }) => sum + costMicros, 0));
}

function distinctLedgers(rows: readonly UsageRow[]): readonly LedgerKey[] {
  return [...new Map(rows.map((row) => [`${row.endpointUuid} ${row.month}`, row])).values()];
}

/** Whether the block is stored already (PostgreSQL documentation, appendix A). */
function isUniqueViolation(err: unknown): boolean {
  return hasCode(err, "23505");
}
