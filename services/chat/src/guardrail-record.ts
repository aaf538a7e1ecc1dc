import { createGuardrailRecord, type GuardrailBlock, type GuardrailRecord } from "@gatehouse/guardrail-client";
import type { Logger } from "@gatehouse/telemetry";
import { Counter, type Registry } from "prom-client";
import type { GuardrailEvent } from "./domain/guardrail-event.ts";

/**
 * Opens the record of guardrails, and registers its counters.
 * @param onBlocked records each blocked call in the audit log; see `GuardrailRecord.blocked`
 */
export function openGuardrailRecord(
  log: Logger,
  registry: Registry,
  onBlocked: (event: GuardrailEvent, block: GuardrailBlock) => Promise<void>,
): GuardrailRecord<GuardrailEvent> {
  const actions = new Counter({
    name: "gatehouse_chat_guardrail_actions_total",
    help: "Actions of the guardrails, by detector: a call blocked, texts masked, findings only observed, or a score below the line.",
    labelNames: ["detector", "side", "action"],
    registers: [registry],
  });
  const outages = new Counter({
    name: "gatehouse_chat_guardrail_unavailable_total",
    help: "Calls whose guardrails could not be reached, by whether they passed unguarded or were refused.",
    labelNames: ["outcome"],
    registers: [registry],
  });
  return createGuardrailRecord({
    log,
    judged: "a call",
    fieldsOf: ({ requestId, projectUuid: project, endpointUuid: endpoint, side }) => ({
      request_id: requestId,
      project,
      endpoint,
      side,
    }),
    onBlocked,
    counters: {
      act: ({ side }, action, detectors) => detectors.forEach((detector) => actions.inc({ detector, side, action })),
      outage: (passed) => outages.inc({ outcome: passed ? "passed" : "refused" }),
    },
  });
}
