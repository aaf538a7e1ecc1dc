import type { Logger } from "@gatehouse/telemetry";
import { Counter, type Registry } from "prom-client";
import type { RecordExternal } from "./app/consult.ts";

/** Counts how questions to guardrails elsewhere end, and logs failures: never a text, a secret or a reply. */
export function createExternalRecord({
  log,
  metrics,
  describe,
}: {
  readonly log: Logger;
  readonly metrics: Registry;
  /** Says why a question failed, with nothing of its reply. */
  readonly describe: (cause: unknown) => string;
}): RecordExternal {
  const outcomes = new Counter({
    name: "gatehouse_guardrail_external_questions_total",
    help: "Questions to external guardrails, by kind and by what came of them: allow, block, replace, or failed.",
    labelNames: ["kind", "outcome"],
    registers: [metrics],
  });
  return ({ name, kind }, outcome, { projectUuid, endpointUuid }) => {
    outcomes.inc({ kind, outcome: outcome.action });
    if (outcome.action !== "failed") return;
    const fields = {
      guardrail: name,
      project: projectUuid,
      endpoint: endpointUuid,
      reason: describe(outcome.cause),
    };
    log.warn(fields, "An external guardrail has failed.");
  };
}
