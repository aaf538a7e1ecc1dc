import type { Logger } from "@gatehouse/telemetry";
import type { GuardrailBlock, GuardrailFinding } from "@gatehouse/guardrail-client";
import { Counter, type Registry } from "prom-client";
import type { GuardrailEvent, GuardrailRecord } from "./domain/guardrail-record.ts";

/**
 * Registers the guardrails' counters and writes a line for each thing they did. Labels are bounded: detectors and actions.
 * @param onBlocked records each blocked call in the audit log; see `GuardrailRecord.blocked`
 */
export function createGuardrailRecord(
  log: Logger,
  registry: Registry,
  onBlocked: (event: GuardrailEvent, block: GuardrailBlock) => Promise<void>,
): GuardrailRecord {
  const actions = new Counter({
    name: "gatehouse_chat_guardrail_actions_total",
    help: "What the guardrails did, by detector: a call blocked, texts masked, findings only observed, or a score below the line.",
    labelNames: ["detector", "side", "action"],
    registers: [registry],
  });
  const outages = new Counter({
    name: "gatehouse_chat_guardrail_unavailable_total",
    help: "Calls whose guardrails could not be reached, by whether they passed unguarded or were refused.",
    labelNames: ["outcome"],
    registers: [registry],
  });
  return {
    async blocked(event, block) {
      const { detector } = block;
      actions.inc({ detector, side: event.side, action: "blocked" });
      log.info({ ...fieldsOf(event), detector }, "A guardrail has blocked a call.");
      await onBlocked(event, block);
    },
    masked(event, findings) {
      for (const detector of detectorsOf(findings)) actions.inc({ detector, side: event.side, action: "masked" });
      log.info({ ...fieldsOf(event), detectors: detectorsOf(findings) }, "Guardrails have masked texts of a call.");
    },
    observed(event, findings) {
      const hits = findings.filter(({ isHit }) => isHit);
      const scored = findings.filter(({ isHit }) => !isHit);
      for (const detector of detectorsOf(hits)) actions.inc({ detector, side: event.side, action: "observed" });
      for (const detector of detectorsOf(scored)) actions.inc({ detector, side: event.side, action: "scored" });
      const detectors = detectorsOf(findings);
      const fields = { ...fieldsOf(event), detectors, hit: hits.length > 0, score: highestScore(findings) };
      log.info(fields, "Guardrails have findings in a call.");
    },
    unavailable(event, passed, cause) {
      outages.inc({ outcome: passed ? "passed" : "refused" });
      if (passed) log.warn({ ...fieldsOf(event), err: cause }, "The guardrails did not answer; a call went on.");
    },
  };
}

function fieldsOf({ requestId, projectUuid, endpointUuid, side }: GuardrailEvent) {
  return { request_id: requestId, project: projectUuid, endpoint: endpointUuid, side };
}

function detectorsOf(findings: readonly GuardrailFinding[]): readonly string[] {
  return [...new Set(findings.map(({ detector }) => detector))];
}

function highestScore(findings: readonly GuardrailFinding[]): number | undefined {
  const scores = findings.flatMap(({ score }) => score ?? []);
  return scores.length === 0 ? undefined : Math.max(...scores);
}
