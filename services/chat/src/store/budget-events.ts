import { type ProjectReference, recordEvent } from "@gatehouse/audit";
import type { StatementRunner } from "@gatehouse/database";
import type { OnBudgetEvent } from "@gatehouse/limits";
import type { Logger } from "@gatehouse/telemetry";
import { budgetReached } from "../events.ts";

/**
 * Records a budget's event in the transaction that decides it.
 * @param findProject by uuid, with the name that its callers last had
 */
export function createBudgetRecord(
  findProject: (uuid: string) => ProjectReference | undefined,
  log: Logger,
): OnBudgetEvent {
  return async (event, transaction) => {
    const { kind, ...fields } = event;
    const slug = (await findSlug(transaction, event.endpointUuid)) ?? event.endpointUuid;
    const project = findProject(event.projectUuid) ?? null;
    await recordEvent(transaction, budgetReached(event, slug, project));
    log.warn(fields, kind);
  };
}

/** Undefined for an endpoint that was deleted meanwhile. */
async function findSlug(transaction: StatementRunner, endpointUuid: string): Promise<string | undefined> {
  const result = await transaction.query("SELECT slug FROM endpoints WHERE uuid = $1", [endpointUuid]);
  // A result of pg, on which the allowances' transactions are built.
  const { rows } = result as { readonly rows: readonly { readonly slug: string }[] };
  return rows[0]?.slug;
}
