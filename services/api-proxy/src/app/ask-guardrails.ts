import { GatewayError } from "@gatehouse/errors";
import {
  type GuardrailAnswer,
  type GuardrailBlock,
  type GuardrailClient,
  type GuardrailQuestion,
  type Judgement,
  samplePointOf,
} from "@gatehouse/guardrail-client";
import type { Logger } from "@gatehouse/telemetry";
import type { BlockedSide, GuardedRequest } from "../domain/guarded-request.ts";

/** Guardrails, and the records of their answers. */
export interface AskGuardrailsOptions {
  readonly client: Pick<GuardrailClient, "inspect">;
  /** Resolves when the audit event is kept, or soon where that is not possible now. Never rejects. */
  readonly recordBlocked: (blocked: BlockedSide, block: GuardrailBlock) => Promise<void>;
  readonly log: Logger;
}

type AskedOf = Pick<GuardrailQuestion, "side" | "texts" | "signal">;

/**
 * Asks about one side of a request.
 * @returns undefined, without a promise where it can, where no policy covers the request or the guardrails are away and it may pass.
 * @throws GatewayError (the promise rejects) `guardrail_blocked`; `unavailable` where the guardrails cannot be reached and the policy
 * does not say that requests go on.
 */
export function askGuardrails(
  request: GuardedRequest,
  asked: AskedOf,
  options: AskGuardrailsOptions,
): undefined | Promise<Judgement | undefined> {
  const answer = options.client.inspect(questionOf(request, asked));
  if (answer instanceof Promise) {
    return answer.then(async (late) => await recordAnswer(late, { request, side: asked.side }, options));
  }
  return answer.kind === "no_policy" ? undefined : recordAnswer(answer, { request, side: asked.side }, options);
}

async function recordAnswer(
  answer: GuardrailAnswer,
  place: BlockedSide,
  { log, recordBlocked }: AskGuardrailsOptions,
): Promise<Judgement | undefined> {
  const { requestId, principal } = place.request;
  const fields = { request_id: requestId, project: principal.project.uuid, side: place.side };
  if (answer.kind === "no_policy") return undefined;
  if (answer.kind === "unavailable") {
    if (answer.mayPass) {
      log.warn({ ...fields, err: answer.cause }, "The guardrails did not answer; a body went on.");
      return undefined;
    }
    const message = "The guardrails of this endpoint cannot be reached. Try again shortly.";
    throw new GatewayError("unavailable", message, { cause: answer.cause, retryAfterSeconds: 1 });
  }
  if (answer.unasked !== undefined) {
    log.warn({ ...fields, err: answer.unasked }, "External guardrails were not asked; a body went on.");
  }
  if (answer.block !== undefined) {
    log.info({ ...fields, detector: answer.block.detector }, "A guardrail has blocked a body.");
    await recordBlocked(place, answer.block);
    throw new GatewayError("guardrail_blocked", answer.block.message);
  }
  const detectors = [...new Set(answer.findings.map(({ detector }) => detector))];
  if (detectors.length > 0) log.info({ ...fields, detectors }, "Guardrails have findings in a body.");
  return answer;
}

function questionOf(request: GuardedRequest, asked: AskedOf): GuardrailQuestion {
  const { principal, endpoint, traceparent, requestId } = request;
  return {
    ...asked,
    projectUuid: principal.project.uuid,
    endpointUuid: endpoint.uuid,
    surface: "api",
    context: () => ({
      tokenId: principal.tokenId,
      surface: "api",
      models: [],
      headers: {},
      samplePoint: samplePointOf(requestId),
      requestId,
    }),
    traceparent: traceparent === "" ? undefined : traceparent,
  };
}
