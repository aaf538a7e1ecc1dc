import { invalidArgument } from "@gatehouse/errors";
import type { Placeholder } from "@gatehouse/placeholders";
import { type InspectRequest, Side, Surface } from "@gatehouse/proto/guardrail";
import type { PolicyOwner } from "../domain/policy-owner.ts";
import type { Surface as PolicySurface } from "../domain/policy/policy-document.ts";
import type { CallContext } from "../domain/policy/scope.ts";
import type { InspectedText, Side as PolicySide } from "../domain/policy/verdict.ts";

/** A question of another service, in the words of policies. */
export interface Question {
  readonly projectUuid: string;
  /** Empty where the project's own policy is meant. */
  readonly endpointUuid: string;
  readonly surface: PolicySurface;
  readonly side: PolicySide;
  readonly texts: readonly InspectedText[];
  readonly context: CallContext | undefined;
  readonly placeholders: readonly Placeholder[];
  readonly areDocuments: boolean;
}

/** Owner of the policy that a message asks for; an empty `endpointUuid` names no endpoint. */
export function ownerOf({ projectUuid, endpointUuid }: Pick<Question, "projectUuid" | "endpointUuid">): PolicyOwner {
  return { projectUuid, endpointUuid: endpointUuid === "" ? undefined : endpointUuid };
}

/** @throws GatewayError `invalid_argument` */
export function questionOf(request: InspectRequest | undefined): Question {
  if (request === undefined) throw invalidArgument("'question' is required.");
  const { projectUuid, endpointUuid, surface, side, texts, context, placeholders, areDocuments } = request;
  return {
    projectUuid,
    endpointUuid,
    surface: toSurface(surface),
    side: toSide(side),
    texts,
    context,
    placeholders,
    areDocuments,
  };
}

function toSurface(surface: Surface): PolicySurface {
  if (surface === Surface.SURFACE_API) return "api";
  return surface === Surface.SURFACE_MCP ? "mcp" : "chat";
}

function toSide(side: Side): PolicySide {
  if (side === Side.SIDE_UNSPECIFIED) throw invalidArgument("'side' is required.");
  return side === Side.SIDE_INPUT ? "input" : "output";
}
