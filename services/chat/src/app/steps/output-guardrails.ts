import { andThen, LightAbort } from "@gatehouse/async";
import {
  guardStream,
  type JudgeTexts,
  judgeWholeStream,
  keepJudged,
  keepJudgedStream,
  replaceCompletionTexts,
  type StreamGuard,
  textsOfCompletion,
} from "@gatehouse/content";
import { GatewayError, isGatewayError } from "@gatehouse/errors";
import { toCallError } from "@gatehouse/failover";
import {
  type GuardrailAnswer,
  type GuardrailFinding,
  type InspectedText,
  recordAnswer,
  blockedError,
  unreachable,
} from "@gatehouse/guardrail-client";
import { type Completion, ProviderError } from "@gatehouse/providers";
import { holdsWhole } from "../../domain/reply-form.ts";
import type { Answered } from "../call.ts";
import type { Step, Verdict } from "../pipeline.ts";
import { ask, contextOf, eventOf, type GuardrailStepOptions } from "./guardrails.ts";
import { shownReply } from "./shown-reply.ts";

/**
 * Judges the model's answer by the endpoint's policy, where it covers answers (422). A policy that may block or mask judges the
 * whole answer first, or each piece of a stream, which a block ends with an error event; one that only records judges after the
 * reply.
 */
export function createOutputGuardrailsStep(options: GuardrailStepOptions): Step<Answered> {
  const { client } = options;
  return {
    name: "output_guardrails",
    enter(call) {
      const { outputCheck } = call;
      const isShownUnjudged = outputCheck === "none" || outputCheck === "after_reply";
      if (isShownUnjudged || call.reply.kind === "embeddings") return undefined;
      const reply = shownReply(call.reply, call.surface);
      const { target } = call.answeredBy;
      if (reply.kind === "stream") {
        const judged = keepJudgedStream(reply.stream, target.model);
        const guarded =
          outputCheck === "whole" || holdsWhole(call.compiled.endpoint)
            ? judgeWholeStream(judged, target.provider, createTextJudge(call, options))
            : guardStream(judged, createGuard(call, options));
        return guarded.then((stream) => void (call.reply = { kind: "stream", stream }), toRefusal);
      }
      const completion = keepJudged(reply.completion, target.model);
      call.reply = { kind: "complete", completion };
      const asked = ask(call, { client, side: "output", texts: () => textsOfCompletion(completion) });
      return andThen(asked, (answer) => applyVerdict(call, completion, answer, options));
    },
    leave(call) {
      const { outputCheck, reply } = call;
      return outputCheck === "after_reply" && reply.kind !== "embeddings" ? watchAnswer(call, options) : undefined;
    },
  };
}

async function watchAnswer(call: Answered, { client, record }: GuardrailStepOptions): Promise<void> {
  try {
    // Not aborted with the call: an answer is judged even when its caller has left.
    const abort = new LightAbort();
    const answer = await ask(call, { client, side: "output", texts: () => textsGiven(call), abort });
    await recordAnswer(answer, eventOf(call, "output"), record, "endpoint");
  } catch (err) {
    // The answer has been sent: a failure to judge it does not fail the call.
    if (!isGatewayError(err)) throw err;
    record.unavailable(eventOf(call, "output"), true, err);
  }
}

/** Error that broke a stream before any of it was sent. */
function toRefusal(err: unknown): GatewayError {
  if (isGatewayError(err)) return err;
  if (err instanceof ProviderError) return toCallError(err);
  throw err;
}

/** Judges the texts of an answer that is held back. */
function createTextJudge(call: Answered, { client, record }: GuardrailStepOptions): JudgeTexts {
  return async (texts) => {
    const answer = await ask(call, { client, side: "output", texts: () => texts });
    const judged = await recordAnswer(answer, eventOf(call, "output"), record, "endpoint");
    if (isGatewayError(judged)) throw judged;
    return judged?.maskedTexts ?? texts.map(({ text }) => text);
  };
}

/** Findings recorded per stream. */
const streamFindingsMax = 100;

/** Judges the pieces of a stream, and reports the findings when it ends or a block ends it. */
function createGuard(call: Answered, { client, record }: GuardrailStepOptions): StreamGuard {
  const event = eventOf(call, "output");
  const { projectUuid, endpointUuid } = event;
  const findings: GuardrailFinding[] = [];
  let isMasked = false;
  return {
    async judge({ place: _place, ...piece }) {
      const asked = { ...piece, projectUuid, endpointUuid, context: contextOf(call), signal: call.abort.signal };
      const answer = await client.inspectPiece(asked);
      if (answer.kind === "unavailable") {
        record.unavailable(event, answer.mayPass, answer.cause);
        if (!answer.mayPass) throw unreachable("endpoint", answer.cause);
        const shown = (piece.state?.held ?? "") + piece.text;
        return { kind: "judged", shown, state: undefined, block: undefined, findings: [], isMasked: false };
      }
      if (answer.block !== undefined) {
        await record.blocked(event, answer.block);
        throw blockedError(answer.block);
      }
      isMasked ||= answer.isMasked;
      findings.push(...answer.findings.slice(0, streamFindingsMax - findings.length));
      return answer;
    },
    onEnd() {
      if (isMasked) record.masked(event, findings);
      else if (findings.length > 0) record.observed(event, findings);
    },
  };
}

function applyVerdict(
  call: Answered,
  completion: Completion,
  answer: GuardrailAnswer,
  { record }: GuardrailStepOptions,
): Verdict | Promise<GatewayError> {
  const judged = recordAnswer(answer, eventOf(call, "output"), record, "endpoint");
  if (judged instanceof GatewayError || judged instanceof Promise || judged === undefined) return judged;
  const { maskedTexts } = judged;
  if (maskedTexts !== undefined) {
    call.reply = { kind: "complete", completion: replaceCompletionTexts(completion, maskedTexts) };
  }
  return undefined;
}

function textsGiven({ reply, answer }: Answered): readonly InspectedText[] {
  if (reply?.kind === "complete") return textsOfCompletion(reply.completion);
  return [{ role: "assistant", text: answer ?? "" }];
}
