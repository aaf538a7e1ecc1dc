import type { Logger } from "@gatehouse/telemetry";
import type { GuardrailBlock } from "@gatehouse/guardrail-client";
import type { GuardedSide, GuardrailRecord } from "./app/guard-tools.ts";

/** Records each blocked call in the audit log; see `GuardrailRecord.blocked`. */
type OnBlocked = (side: GuardedSide, block: GuardrailBlock) => Promise<void>;

/** Writes a line for each thing that the guardrails did. */
export function createGuardrailRecord(log: Logger, onBlocked: OnBlocked): GuardrailRecord {
  return {
    async blocked(place, block) {
      log.info({ ...fieldsOf(place), detector: block.detector }, "A guardrail has blocked a call of a tool.");
      await onBlocked(place, block);
    },
    found(place, findings) {
      const detectors = [...new Set(findings.map(({ detector }) => detector))];
      log.info({ ...fieldsOf(place), detectors }, "Guardrails have findings in a call of a tool.");
    },
    unavailable(place, passed, cause) {
      if (passed) log.warn({ ...fieldsOf(place), err: cause }, "The guardrails did not answer; a call went on.");
    },
  };
}

function fieldsOf({ request, side }: GuardedSide) {
  return { request_id: request.requestId, project: request.principal.project.uuid, side };
}
