import { andThen } from "@gatehouse/async";
import type { GuardrailServiceDefinition } from "@gatehouse/proto/guardrail";
import type { RpcClient } from "@gatehouse/rpc";
import { type Tracing, untraced } from "@gatehouse/telemetry";
import { createAskTexts, noPolicy } from "./ask-texts.ts";
import { createConsultExternals } from "./consult-externals.ts";
import type { GuardrailClient, GuardrailQuestion } from "./guardrail-client.ts";
import { isUnreachable, toFinding } from "./messages.ts";
import { PolicyCache } from "./policy-cache.ts";

/** Client of the guardrail service over gRPC, or of its implementation in the same process. */
export type GuardrailRpc = RpcClient<typeof GuardrailServiceDefinition>;

/**
 * Calls the guardrail service, and remembers what is needed to continue or refuse while it does not answer.
 * @param timeoutMs bound of one question
 * @param now milliseconds of a monotonic clock
 * @param tracing where each question becomes a span
 */
export function createGuardrailClient(
  rpc: GuardrailRpc,
  timeoutMs: number,
  now: () => number,
  tracing: Tracing = untraced,
): GuardrailClient {
  const memory = new PolicyCache(now);
  const mayPass = (question: GuardrailQuestion): boolean => memory.mayPassUnguarded(placeOf(question));
  const askTexts = createAskTexts(rpc, { timeoutMs, now, tracing, memory });
  const consultExternals = createConsultExternals(rpc, timeoutMs, tracing, mayPass);
  return {
    inspect(question) {
      const place = placeOf(question);
      if (memory.isFreshlyAbsent(place)) return noPolicy;
      return andThen(question.texts(), (texts) => {
        const judged = askTexts(question, place, texts);
        return andThen(judged, (here) => ("response" in here ? consultExternals(question, here) : here));
      });
    },
    async inspectPiece({ signal, ...piece }) {
      try {
        const answer = await rpc.inspectPiece(piece, { signal, deadline: timeoutMs });
        const { shown, state, blocked, message, reason, findings, masked } = answer;
        const block = blocked ? { detector: reason, message } : undefined;
        return { kind: "judged", shown, state, block, findings: findings.map(toFinding), isMasked: masked };
      } catch (err) {
        if (!isUnreachable(err)) throw err;
        const place = placeOf({ ...piece, surface: surfaceOfPieces });
        return { kind: "unavailable", mayPass: memory.mayPassUnguarded(place), cause: err };
      }
    },
  };
}

/** Only models' answers are judged in pieces. */
const surfaceOfPieces = "chat";

type Place = Pick<GuardrailQuestion, "projectUuid" | "endpointUuid" | "surface">;

/** Key of the place that a policy's answer applies to. */
function placeOf({ projectUuid, endpointUuid, surface }: Place): string {
  return `${surface} ${endpointUuid ?? projectUuid}`;
}
