import type { Admitted } from "../call.ts";
import { findParameterProblem, refuseParameter } from "@gatehouse/dialects";
import type { Step } from "../pipeline.ts";

/**
 * No parameter of the caller chooses a model, a route, a provider or a server that the provider is to call, unless the endpoint
 * names it in `allowed_parameters`; none has a name outside printable ASCII, and none differs in case only from one that the
 * gateway or the endpoint sets (400).
 */
export function createParametersStep(): Step<Admitted> {
  return {
    name: "parameters",
    enter({ request: { parameters: own }, compiled }) {
      const { allowedParameters, parameters } = compiled.endpoint;
      const problem = own && findParameterProblem(own, allowedParameters, parameters);
      return problem && refuseParameter(problem);
    },
  };
}
