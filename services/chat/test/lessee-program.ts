import process from "node:process";
import { createAllowances } from "@gatehouse/limits";
import { createPrincipal, createUsage, log, openTestDatabase } from "./allowances-harness.ts";

/** The parent's orders, as JSON in `LESSEE`. */
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

// Calls as fast as it can, until it is killed.
/** Resolves once the text is in the pipe, where it outlives this process. */
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
  // Known to the parent before it is known to the ledger, as a provider's bill is.
  await report("called");
  allowances.settle(result.reservation, createUsage(costMicros));
  await new Promise((resolve) => setImmediate(resolve));
}
