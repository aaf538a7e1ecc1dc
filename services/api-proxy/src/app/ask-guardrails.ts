import { isGatewayError } from "@gatehouse/errors";
import {
  type GuardrailAnswer,
  type GuardrailClient,
  type GuardrailQuestion,
  type GuardrailRecord,
  type Judgement,
  recordAnswer,
  samplePointOf,
} from "@gatehouse/guardrail-client";
import type { Logger } from "@gatehouse/telemetry";
import type { BlockedSide, GuardedRequest } from "../domain/guarded-request.ts";

/** Shared by the guards of requests and replies; `record` logs answers and counts blocked bodies for the audit log. */
export interface AskGuardrailsOptions {
  readonly client: Pick<GuardrailClient, "inspect">;
  readonly record: GuardrailRecord<BlockedSide>;
  readonly log: Logger;
}

type AskedOf = Pick<GuardrailQuestion, "side" | "texts" | "documents" | "signal">;

/**
 * Asks the guardrails about one side of a request.
 * @returns undefined, synchronously where possible, where no policy covers the request, or the guardrails are unavailable and it
 * may pass
 * @throws GatewayError (the promise rejects) `guardrail_blocked`; `unavailable` where the guardrails are unreachable, unless the
 * policy lets requests pass
 */
export function askGuardrails(
  request: GuardedRequest,
  asked: AskedOf,
  options: AskGuardrailsOptions,
): undefined | Promise<Judgement | undefined> {
  const answer = options.client.inspect(questionOf(request, asked));
  if (answer instanceof Promise) {
    return answer.then(async (late) => await judge(late, { request, side: asked.side }, options));
  }
  return answer.kind === "no_policy" ? undefined : judge(answer, { request, side: asked.side }, options);
}

async function judge(
  answer: GuardrailAnswer,
  place: BlockedSide,
  { record }: AskGuardrailsOptions,
): Promise<Judgement | undefined> {
  const judged = await recordAnswer(answer, place, record, "endpoint");
  if (isGatewayError(judged)) throw judged;
  return judged;
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
