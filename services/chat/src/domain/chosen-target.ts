import { type GatewayError, invalidArgument } from "@gatehouse/errors";
import type { TokenPrincipal } from "@gatehouse/principal";
import type { CompiledEndpoint } from "./endpoint.ts";

/** Names the one target of the endpoint that a call is to ask, by its place in the endpoint's list, from 1. */
export const targetHeader = "x-gatehouse-target";

/** A place from 1 to 999. */
const place = /^[1-9]\d{0,2}$/;

/**
 * The endpoint with the chosen target alone: no other is asked should it fail. Which target answers is the endpoint's to decide
 * in production, so only tokens of the environment `test` may choose; the header gives no way to a target that the endpoint lacks.
 * @returns a GatewayError (400) for a token that may not choose, and for a place without a target
 */
export function chooseTarget<Endpoint extends Pick<CompiledEndpoint, "targets">>(
  endpoint: Endpoint,
  given: string,
  { environment }: Pick<TokenPrincipal, "environment">,
): Endpoint | GatewayError {
  if (environment !== "test") {
    return invalidArgument(
      "X-Gatehouse-Target may be sent with a token of the environment test only. Leave it out, or use one.",
    );
  }
  const { targets } = endpoint;
  const target = place.test(given) ? targets[Number(given) - 1] : undefined;
  if (target !== undefined) return { ...endpoint, targets: [target] };
  return invalidArgument(
    `X-Gatehouse-Target must be the place of a target of the endpoint: a number from 1 to ${targets.length}.`,
  );
}
