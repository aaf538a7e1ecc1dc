import { GatewayError } from "@gatehouse/errors";
import { type DeepPartial, type InspectRequest, type InspectResponse, Side, Surface } from "@gatehouse/proto/guardrail";
import type { Surface as PolicySurface } from "../domain/policy/policy-document.ts";
import type { Judge } from "../domain/policy/judge.ts";
import type { PolicyCatalog } from "../domain/policy-catalog.ts";
import { outputCheckOf } from "../domain/policy-owner.ts";
import { fromFindings, fromOutputCheck } from "./messages.ts";

/** What judging works with. */
export interface InspectContext {
  readonly policies: PolicyCatalog;
  readonly judge: Judge;
}

/** @throws GatewayError `unavailable` where the policy is not in memory and the database is away; and see `Judge`. */
export async function handleInspect(
  { policies, judge }: InspectContext,
  { projectUuid, endpointUuid, surface, side, texts }: InspectRequest,
  signal: AbortSignal,
): Promise<DeepPartial<InspectResponse>> {
  const found = policies.find({ projectUuid, endpointUuid: endpointUuid === "" ? undefined : endpointUuid });
  const inForce = found instanceof Promise ? await found : found;
  if (inForce === undefined || !inForce.policy.document.surfaces.includes(toSurface(surface))) {
    return { policyAbsent: true };
  }
  const { policy } = inForce;
  const judged = judge(policy, { texts, side: toSide(side) }, { projectUuid, signal });
  const verdict = judged instanceof Promise ? await judged : judged;
  return {
    blocked: verdict.blocked,
    message: verdict.message ?? "",
    reason: verdict.reason ?? "",
    findings: fromFindings(verdict.findings),
    maskedTexts: [...(verdict.maskedTexts ?? [])],
    maskedSpans: [...(verdict.maskedSpans ?? [])],
    outputCheck: fromOutputCheck(outputCheckOf(policy.document)),
    failsOpen: policy.document.on_unavailable === "open",
  };
}

function toSurface(surface: Surface): PolicySurface {
  if (surface === Surface.SURFACE_API) return "api";
  return surface === Surface.SURFACE_MCP ? "mcp" : "chat";
}

function toSide(side: Side): "input" | "output" {
  if (side === Side.SIDE_UNSPECIFIED) throw new GatewayError("invalid_argument", "'side' is required.");
  return side === Side.SIDE_INPUT ? "input" : "output";
}
