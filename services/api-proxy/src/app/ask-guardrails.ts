import { isGatewayError, toGatewayError } from "@gatehouse/errors";
import {
  CallContext,
  type GuardrailAnswer,
  type GuardrailClient,
  type GuardrailQuestion,
  type GuardrailRecord,
  type Judgement,
  recordAnswer,
} from "@gatehouse/guardrail-client";
import type { Logger } from "@gatehouse/telemetry";
import type { BlockedSide, GuardedRequest } from "../domain/guarded-request.ts";

/** Shared by the guards of requests and replies; `record` logs answers and counts blocked bodies for the audit log. */
export interface AskGuardrailsOptions {
  readonly client: Pick<GuardrailClient, "inspect">;
  readonly record: GuardrailRecord<BlockedSide>;
  readonly log: Logger;
}

type AskedOf = Pick<GuardrailQuestion, "side" | "texts" | "documents" | "abort">;

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
  const answer = inspect(request, asked, options);
  if (answer instanceof Promise) {
    return answer.then(async (late) => await judge(late, { request, side: asked.side }, options));
  }
  return answer.kind === "no_policy" ? undefined : judge(answer, { request, side: asked.side }, options);
}

/** An answer that is at hand may be an error, which is thrown at once. */
function inspect(
  request: GuardedRequest,
  asked: AskedOf,
  { client }: AskGuardrailsOptions,
): GuardrailAnswer | Promise<GuardrailAnswer> {
  try {
    return client.inspect(questionOf(request, asked));
  } catch (err) {
    return Promise.reject(toGatewayError(err));
  }
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
    context: () => new CallContext({ tokenId: principal.tokenId, surface: "api", requestId }),
    traceparent: traceparent === "" ? undefined : traceparent,
  };
}
