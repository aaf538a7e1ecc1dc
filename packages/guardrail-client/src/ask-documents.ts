import { GatewayError } from "@gatehouse/errors";
import type { InspectResponse } from "@gatehouse/proto/guardrail";
import { inSpan, type Span } from "@gatehouse/telemetry";
import type { GuardrailRpc } from "./create-guardrail-client.ts";
import type { GuardrailQuestion, Judgement } from "./guardrail-client.ts";
import { toJudgement, toRequest } from "./messages.ts";
import { areLong, deadlineMs, isLate } from "./question-deadline.ts";

/** Adds the judgement of whole values to that of their texts. */
type AskDocuments = (
  question: GuardrailQuestion,
  response: InspectResponse,
  span: Span,
) => Judgement | Promise<Judgement>;

/** Inspects whole values only where the texts pass and the policy has patterns for values. */
export function createAskDocuments(rpc: GuardrailRpc, timeoutMs: number): AskDocuments {
  return (question, response, span) => {
    const judgement = toJudgement(response);
    const isWhole = !response.asksDocuments || response.blocked || question.documents === undefined;
    return isWhole ? judgement : addDocuments(question, judgement, span);
  };

  async function addDocuments(question: GuardrailQuestion, judgement: Judgement, span: Span): Promise<Judgement> {
    const documents = (await question.documents?.()) ?? [];
    if (documents.length === 0) return judgement;
    const request = { ...toRequest(question, documents), areDocuments: true };
    const isLong = areLong(documents);
    const options = { signal: question.abort.signal, deadline: deadlineMs(timeoutMs, isLong) };
    try {
      const { block, findings } = toJudgement(await inSpan(span, async () => await rpc.inspect(request, options)));
      return { ...judgement, block, findings: [...judgement.findings, ...findings] };
    } catch (err) {
      // The caller chose the length, so lateness is not an outage.
      throw isLong && isLate(err) ? new GatewayError("guardrail_blocked", tooLong, { cause: err }) : err;
    }
  }
}

const tooLong = "Request blocked: its texts take too long to judge. Send less at once.";
