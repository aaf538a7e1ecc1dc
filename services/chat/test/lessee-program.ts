import process from "node:process";
import { createAllowances } from "@gatehouse/limits";
import { createPrincipal, createUsage, log, openTestDatabase } from "./allowances-harness.ts";

/** Orders of the parent, as JSON in `LESSEE`. */
export interface LesseeWork {
  readonly url: string;
  readonly spillFolder: string;
  readonly projectUuid: string;
  readonly endpointUuid: string;
  readonly perHour: number;
  readonly budgetMicros: number;
  readonly costMicros: number;
}

/** Sent for each call that was admitted and settled. */
export type LesseeReport = "called";

// Makes calls as fast as possible, until killed.
/** Resolves once the text is in the pipe, which survives this process. */
async function report(text: LesseeReport): Promise<void> {
  await new Promise<void>((resolve) => process.send?.(text, () => resolve()));
}

const work = JSON.parse(process.env["LESSEE"] ?? "{}") as LesseeWork;
const allowances = createAllowances({
  database: openTestDatabase(work.url),
  log,
  replicaId: "killed",
  spillFolder: work.spillFolder,
  onBudgetEvent: () => {},
  databaseNow: "test_now()",
});
await allowances.start();
const principal = createPrincipal({ projectUuid: work.projectUuid, perHour: work.perHour });
const { endpointUuid, projectUuid, budgetMicros, costMicros } = work;
for (;;) {
  const { admitted } = await allowances.admit(principal);
  if (!admitted) break;
  const request = { endpointUuid, projectUuid, tokenId: 1, budgetMicros, estimateMicros: costMicros };
  const result = await allowances.reserve(request);
  if (!result.ok) break;
  // The parent learns of it before the ledger, like a provider's bill.
  await report("called");
  allowances.settle(result.reservation, createUsage(costMicros));
  await new Promise((resolve) => setImmediate(resolve));
}
