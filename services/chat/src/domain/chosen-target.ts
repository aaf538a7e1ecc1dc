import { type GatewayError, invalidArgument } from "@gatehouse/errors";
import type { TokenPrincipal } from "@gatehouse/principal";
import type { CompiledEndpoint } from "./endpoint.ts";

/** Header with the position, from 1, of the only target to ask. */
export const targetHeader = "x-gatehouse-target";

/** A position from 1 to 999. */
const place = /^[1-9]\d{0,2}$/;

/**
 * The endpoint with the chosen target alone, without failover. Only tokens of the environment `test` may choose: in production
 * the endpoint decides which target answers.
 * @returns a GatewayError (400) for a token that may not choose, or a position without a target
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
