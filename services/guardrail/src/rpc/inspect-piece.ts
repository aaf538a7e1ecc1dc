import { invalidArgument } from "@gatehouse/errors";
import type { DeepPartial, InspectPieceRequest, InspectPieceResponse } from "@gatehouse/proto/guardrail";
import { heldLengthMax, inspectPiece, streamBeginning } from "../domain/policy/inspect-piece.ts";
import type { InspectContext } from "./inspect.ts";
import { fromFindings } from "./messages.ts";
import { ownerOf } from "./question.ts";

/** UTF-16 units of one piece; a longer one is several. */
const pieceLengthMax = 32_768;

/** @throws GatewayError `invalid_argument` past a bound; `unavailable` where the policy cannot be known. */
export async function handleInspectPiece(
  { policies, records }: Pick<InspectContext, "policies" | "records">,
  { projectUuid, endpointUuid, state = streamBeginning, text, isLast, context }: InspectPieceRequest,
): Promise<DeepPartial<InspectPieceResponse>> {
  if (text.length > pieceLengthMax || state.held.length + state.context.length > 2 * heldLengthMax + pieceLengthMax) {
    throw invalidArgument(`A piece has at most ${pieceLengthMax} characters.`);
  }
  const found = policies.find(ownerOf({ projectUuid, endpointUuid }));
  const inForce = found instanceof Promise ? await found : found;
  // A policy that is gone by now holds nothing back any more.
  if (inForce === undefined || !inForce.policy.document.surfaces.includes("chat")) return { shown: state.held + text };
  const verdict = inspectPiece(inForce.policy, { state, text, isLast, ...(context && { context }) });
  const { findings, block, isMasked } = verdict;
  // Places in a piece are those in no text that is kept, so nothing is quoted.
  const recorded = { blocked: block !== undefined, ...block, findings, ...(isMasked && { maskedSpans: findings }) };
  const call = { texts: [], side: "output", ...(context && { context }) } as const;
  records.recordFindings({
    owner: ownerOf({ projectUuid, endpointUuid }),
    policy: inForce.policy,
    request: call,
    verdict: recorded,
  });
  return {
    shown: verdict.shown,
    state: verdict.state,
    blocked: verdict.block !== undefined,
    message: verdict.block?.message ?? "",
    reason: verdict.block?.reason ?? "",
    findings: fromFindings(verdict.findings),
    masked: verdict.isMasked,
  };
}
