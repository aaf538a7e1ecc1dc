import { type ProjectReference, recordEvent } from "@gatehouse/audit";
import type { StatementRunner } from "@gatehouse/database";
import { type BudgetEvent, budgetThresholdPercent, type OnBudgetEvent } from "@gatehouse/limits";
import { toDollars } from "@gatehouse/money";
import type { Logger } from "@gatehouse/telemetry";
import { budgetReached } from "../events.ts";
import type { Transaction } from "./chat-store.ts";

const messages: Readonly<Record<BudgetEvent["kind"], string>> = {
  "budget.threshold_reached": `An endpoint has spent ${budgetThresholdPercent} % of its monthly budget.`,
  "budget.exhausted": "An endpoint's monthly budget is exhausted.",
};

/**
 * Records a budget's event in the transaction that decides it.
 * @param findProject by uuid, with the name that its callers last had
 */
export function createBudgetRecord(
  findProject: (uuid: string) => ProjectReference | undefined,
  log: Logger,
): OnBudgetEvent {
  return async (event, transaction) => {
    const { kind, endpointUuid, projectUuid, month, spentMicros, budgetMicros } = event;
    const slug = (await findSlug(transaction, endpointUuid)) ?? endpointUuid;
    await recordEvent(transaction, budgetReached(event, slug, findProject(projectUuid) ?? null));
    const amounts = { spent_usd: toDollars(spentMicros), budget_usd: toDollars(budgetMicros) };
    log.warn({ event: kind, project: projectUuid, endpoint: endpointUuid, slug, month, ...amounts }, messages[kind]);
  };
}

/** Permits the events of a raised budget again in this month, although those of the lower budget are recorded. */
export async function permitBudgetEvents(transaction: Transaction, endpointUuid: string): Promise<void> {
  await transaction.$executeRaw`
    UPDATE budget_ledgers SET threshold_at = NULL, exhausted_at = NULL
    WHERE endpoint_uuid = ${endpointUuid}::uuid AND month >= to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM')`;
}

/** Undefined for an endpoint that was deleted meanwhile. */
async function findSlug(transaction: StatementRunner, endpointUuid: string): Promise<string | undefined> {
  const result = await transaction.query("SELECT slug FROM endpoints WHERE uuid = $1", [endpointUuid]);
  // A result of pg, on which the allowances' transactions are built.
  const { rows } = result as { readonly rows: readonly { readonly slug: string }[] };
  return rows[0]?.slug;
}
