import { isGatewayError } from "@gatehouse/errors";
import {
  type Finding,
  type GuardrailServiceDefinition,
  type InspectResponse,
  OutputCheck as OutputCheckMessage,
  Side as SideMessage,
  Surface as SurfaceMessage,
} from "@gatehouse/proto/guardrail";
import type { RpcClient } from "@gatehouse/rpc";
import { type Span, type Tracing, untraced } from "@gatehouse/telemetry";
import type {
  GuardrailAnswer,
  GuardrailClient,
  GuardrailFinding,
  GuardrailQuestion,
  InspectedText,
  OutputCheck,
  Surface,
} from "./guardrail-client.ts";
import { PolicyMemory } from "./policy-memory.ts";

/** The guardrail service, in this process or another. */
export type GuardrailRpc = RpcClient<typeof GuardrailServiceDefinition>;

export interface GuardrailClientOptions {
  readonly rpc: GuardrailRpc;
  /** Bound of one question, milliseconds. */
  readonly timeoutMs: number;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** Where each question becomes a span; nowhere where absent. */
  readonly tracing?: Tracing;
}

/** UTF-16 units of a question beyond which it may wait for a thread of the guardrails. */
const longTextUnits = 32 * 1024;
/** Time that such a question has besides: a wait of 2.5 s and work of 2 s, after which the guardrails themselves refuse. */
const longTextMsMax = 5_000;

const outputChecks: Readonly<Record<OutputCheckMessage, OutputCheck>> = {
  [OutputCheckMessage.OUTPUT_CHECK_UNSPECIFIED]: "none",
  [OutputCheckMessage.OUTPUT_CHECK_BEFORE_REPLY]: "before_reply",
  [OutputCheckMessage.OUTPUT_CHECK_AFTER_REPLY]: "after_reply",
};

/** Asks the guardrail service, and remembers what it must to go on, or to refuse, while there is no answer. */
export function createGuardrailClient({
  rpc,
  timeoutMs,
  now,
  tracing = untraced,
}: GuardrailClientOptions): GuardrailClient {
  const memory = new PolicyMemory(now);
  return {
    inspect(question) {
      if (memory.isFreshlyAbsent(placeOf(question))) return { kind: "no_policy" };
      return inspect(question);
    },
    async inspectPiece({ signal, ...piece }) {
      try {
        const { shown, state, blocked, message, reason, findings, masked } = await rpc.inspectPiece(piece, {
          signal,
          deadline: timeoutMs,
        });
        const block = blocked ? { detector: reason, message } : undefined;
        return { kind: "judged", shown, state, block, findings: findings.map(toFinding), isMasked: masked };
      } catch (err) {
        if (!isUnreachable(err)) throw err;
        return { kind: "unavailable", mayPass: memory.mayPassUnguarded(piece.endpointUuid), cause: err };
      }
    },
  };

  async function inspect(question: GuardrailQuestion): Promise<GuardrailAnswer> {
    const { signal, side, traceparent } = question;
    const place = placeOf(question);
    const askedAt = now();
    const texts = question.texts();
    const request = toRequest(question, texts instanceof Promise ? await texts : texts);
    const isLong = unitsOf(request.texts) > longTextUnits;
    const attributes = { "gatehouse.guardrail.side": side };
    const span = tracing.start("guardrail inspect", { kind: "client", parent: traceparent, attributes });
    try {
      const deadline = timeoutMs + (isLong ? longTextMsMax : 0);
      const response = await rpc.inspect(request, { signal, deadline });
      memory.note(place, policyKindOf(response), askedAt);
      noteOutcome(span, response);
      span.end();
      return response.policyAbsent ? { kind: "no_policy" } : toJudgement(response);
    } catch (err) {
      span.end(err);
      if (!isUnreachable(err)) throw err;
      // Late for its length: the caller's doing, which must not switch the checks off.
      const mayPass = memory.mayPassUnguarded(place) && !(isLong && isLate(err));
      return { kind: "unavailable", mayPass, cause: err };
    }
  }
}

/** What was decided and by which detector; nothing of the texts, nor a message, which may quote a keyword. */
function noteOutcome(span: Span, { policyAbsent, blocked, reason, maskedTexts }: InspectResponse): void {
  if (policyAbsent) span.set({ "gatehouse.guardrail.policy": "none" });
  else if (blocked) span.set({ "gatehouse.guardrail.blocked": true, "gatehouse.guardrail.detector": reason });
  else span.set({ "gatehouse.guardrail.blocked": false, "gatehouse.guardrail.masked": maskedTexts.length > 0 });
}

/** Other failures, such as a defect that a text could provoke, never let a call pass. */
function isUnreachable(err: unknown): boolean {
  return isGatewayError(err) && (err.code === "unavailable" || err.code === "deadline_exceeded");
}

function isLate(err: unknown): boolean {
  return isGatewayError(err) && err.code === "deadline_exceeded";
}

function unitsOf(texts: readonly InspectedText[]): number {
  return texts.reduce((total, { text }) => total + text.length, 0);
}

function policyKindOf({ policyAbsent, failsOpen }: InspectResponse): "absent" | "fails_open" | "fails_closed" {
  if (policyAbsent) return "absent";
  return failsOpen ? "fails_open" : "fails_closed";
}

const surfaces: Readonly<Record<Surface, SurfaceMessage>> = {
  chat: SurfaceMessage.SURFACE_CHAT,
  mcp: SurfaceMessage.SURFACE_MCP,
  api: SurfaceMessage.SURFACE_API,
};

/** What an answer about a policy holds for. */
function placeOf({ projectUuid, endpointUuid, surface }: GuardrailQuestion): string {
  return `${surface} ${endpointUuid ?? projectUuid}`;
}

function toRequest(
  { projectUuid, endpointUuid = "", surface, side }: GuardrailQuestion,
  texts: readonly InspectedText[],
) {
  return {
    projectUuid,
    endpointUuid,
    surface: surfaces[surface],
    side: side === "input" ? SideMessage.SIDE_INPUT : SideMessage.SIDE_OUTPUT,
    texts: [...texts],
  };
}

/** A score without a place is one below the line, told in log mode. */
function toFinding({ detector, score, start, end }: Finding): GuardrailFinding {
  return { detector, score, isHit: end > start };
}

function toJudgement(response: InspectResponse): GuardrailAnswer {
  const { blocked, message, reason, findings, maskedTexts, maskedSpans, outputCheck } = response;
  return {
    kind: "judged",
    block: blocked ? { detector: reason, message } : undefined,
    findings: findings.map(toFinding),
    maskedTexts: maskedTexts.length === 0 ? undefined : maskedTexts,
    maskedSpans,
    outputCheck: outputChecks[outputCheck],
  };
}
