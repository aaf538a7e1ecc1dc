import { GatewayError } from "@gatehouse/errors";
import type { Logger } from "@gatehouse/telemetry";
import type { GuardrailBlock } from "./block-digest.ts";
import type { GuardrailAnswer, GuardrailFinding, Judgement } from "./guardrail-client.ts";

/** Records the guardrails' actions on one side of a call in log, metrics and audit log: detectors and scores, never a text. */
export interface GuardrailRecord<Event> {
  /** An audit event is written as well: resolves when it is stored, or soon where that is impossible now. Never rejects. */
  blocked(event: Event, block: GuardrailBlock): Promise<void>;
  masked(event: Event, findings: readonly GuardrailFinding[]): void;
  /** Findings of a check without effect. */
  observed(event: Event, findings: readonly GuardrailFinding[]): void;
  unavailable(event: Event, passed: boolean, cause: unknown): void;
}

/** Blocked, masked, found without effect, or scored below the policy's threshold. */
export type GuardrailAction = "blocked" | "masked" | "observed" | "scored";

/** Labels are bounded: detectors and actions. */
export interface GuardrailCounters<Event> {
  act(event: Event, action: GuardrailAction, detectors: readonly string[]): void;
  outage(passed: boolean): void;
}

/** Destinations and wording of a {@link GuardrailRecord}; `fieldsOf` gives the log fields of a call, without its texts. */
export interface GuardrailRecordOptions<Event> {
  readonly log: Logger;
  /** Noun for the log's messages, such as "a call". */
  readonly judged: string;
  readonly fieldsOf: (event: Event) => object;
  /** Writes a blocked call to the audit log; see {@link GuardrailRecord.blocked}. */
  readonly onBlocked: (event: Event, block: GuardrailBlock) => Promise<void>;
  readonly counters?: GuardrailCounters<Event>;
}

/** Logs and counts each action of the guardrails. */
export function createGuardrailRecord<Event>(options: GuardrailRecordOptions<Event>): GuardrailRecord<Event> {
  const { log, judged, fieldsOf, onBlocked, counters } = options;
  return {
    async blocked(event, block) {
      const { detector } = block;
      counters?.act(event, "blocked", [detector]);
      log.info({ ...fieldsOf(event), detector }, `A guardrail has blocked ${judged}.`);
      await onBlocked(event, { ...block, message: recordedMessage(block) });
    },
    masked(event, findings) {
      const detectors = detectorsOf(findings);
      counters?.act(event, "masked", detectors);
      log.info({ ...fieldsOf(event), detectors }, `Guardrails have masked texts of ${judged}.`);
    },
    observed(event, findings) {
      const hits = findings.filter(({ isHit }) => isHit);
      counters?.act(event, "observed", detectorsOf(hits));
      counters?.act(event, "scored", detectorsOf(findings.filter(({ isHit }) => !isHit)));
      const detectors = detectorsOf(findings);
      const fields = { ...fieldsOf(event), detectors, hit: hits.length > 0, score: highestScore(findings) };
      log.info(fields, `Guardrails have findings in ${judged}.`);
    },
    unavailable(event, passed, cause) {
      counters?.outage(passed);
      if (passed)
        log.warn(
          { ...fieldsOf(event), err: cause },
          `The guardrails did not answer; ${judged} was passed on unjudged.`,
        );
    },
  };
}

function detectorsOf(findings: readonly GuardrailFinding[]): readonly string[] {
  return [...new Set(findings.map(({ detector }) => detector))];
}

function highestScore(findings: readonly GuardrailFinding[]): number | undefined {
  const scores = findings.flatMap(({ score }) => score ?? []);
  return scores.length === 0 ? undefined : Math.max(...scores);
}

type Covered = "endpoint" | "project";

/**
 * Records an answer. Returns the judgement of permitted texts, the error for blocked ones, undefined where nothing was judged. A
 * block's error is returned when its audit event is stored.
 */
export function recordAnswer<Event>(
  answer: GuardrailAnswer,
  event: Event,
  record: GuardrailRecord<Event>,
  covered: Covered,
): Judgement | GatewayError | Promise<GatewayError> | undefined {
  if (answer.kind === "no_policy") return undefined;
  if (answer.kind === "unavailable") {
    record.unavailable(event, answer.mayPass, answer.cause);
    return answer.mayPass ? undefined : unreachable(covered, answer.cause);
  }
  const { block, findings, maskedTexts, unasked } = answer;
  if (unasked !== undefined) record.unavailable(event, true, unasked);
  if (block !== undefined) {
    return record.blocked(event, block).then(() => blockedError(block));
  }
  if (maskedTexts !== undefined) record.masked(event, findings);
  else if (findings.length > 0) record.observed(event, findings);
  return answer;
}

/** Error of a blocked call: the caller reads the whole message, logs have the one that is recorded. */
export function blockedError(block: GuardrailBlock): GatewayError {
  return new GatewayError("guardrail_blocked", block.message, { loggedMessage: recordedMessage(block) });
}

const externalBeginning = /^Request blocked: guardrail '[a-z0-9_-]*'\./u;

/** A block's message for audit events and logs: without the words of an external guardrail, which may quote the call. */
function recordedMessage({ detector, message }: GuardrailBlock): string {
  if (detector !== "external") return message;
  return externalBeginning.exec(message)?.[0] ?? "Request blocked by an external guardrail.";
}

/** Error of a call whose guardrails are unreachable. */
export function unreachable(covered: Covered, cause: unknown): GatewayError {
  const message = `The guardrails of this ${covered} cannot be reached. Try again shortly.`;
  return new GatewayError("unavailable", message, { cause, retryAfterSeconds: 1 });
}
