import { findParameterProblem, refuseParameter } from "@gatehouse/dialects";
import { isGatewayError } from "@gatehouse/errors";
import { chooseTarget } from "../../domain/chosen-target.ts";
import type { Admitted } from "../call.ts";
import type { Step, Verdict } from "../pipeline.ts";

type Compiled = Pick<Admitted, "compiled">;

/**
 * Refuses parameters that choose a model, a route, a provider or a server for the provider to call, unless the endpoint lists
 * them in `allowed_parameters`; names outside printable ASCII; and names that differ only in case from one that the gateway or
 * the endpoint sets (400). A test token may choose one of the endpoint's own targets.
 */
export function createParametersStep(): Step<Admitted, Compiled | undefined> {
  return {
    name: "parameters",
    enter(call) {
      const { request, compiled, chosenTarget } = call;
      const { allowedParameters, parameters } = compiled.endpoint;
      const problem = request.parameters && findParameterProblem(request.parameters, allowedParameters, parameters);
      if (problem !== undefined) return refuseParameter(problem);
      return chosenTarget === undefined ? undefined : choose(call, chosenTarget);
    },
  };
}

function choose({ compiled, principal }: Admitted, given: string): Verdict<Compiled> {
  const chosen = chooseTarget(compiled, given, principal);
  return isGatewayError(chosen) ? chosen : { compiled: chosen };
}
