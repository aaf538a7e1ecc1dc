import { GatewayError } from "@gatehouse/errors";
import type { Admitted } from "../call.ts";
import { findParameterProblem, type ParameterProblem, toolsName } from "@gatehouse/dialects";
import type { Step } from "../pipeline.ts";

/** Characters of a parameter's name that a message shows. */
const shownLengthMax = 64;

/**
 * No parameter of the caller chooses a model, a route, a provider or a server that the provider is to call, unless the endpoint
 * names it in `allowed_parameters`; none has a name outside printable ASCII, and none differs in case only from one that the
 * gateway or the endpoint sets (400).
 */
export function createParametersStep(): Step<Admitted> {
  return {
    name: "parameters",
    enter(call) {
      const problem = problemOf(call);
      return problem && new GatewayError("malformed_body", messageOf(problem));
    },
  };
}

function problemOf({ request, compiled }: Admitted): ParameterProblem | undefined {
  const { parameters: own } = request;
  const { allowedParameters, parameters } = compiled.endpoint;
  return own && findParameterProblem(own, allowedParameters, parameters);
}

function messageOf({ name, kind }: ParameterProblem): string {
  const shown = JSON.stringify(name.slice(0, shownLengthMax));
  if (kind === "ambiguous") {
    return `Parameter ${shown} differs in case only from one that the gateway sets. Write it in its own case, or leave it out.`;
  }
  if (kind === "foreign") {
    return `Parameter ${shown} has a name of other signs than printable ASCII, which no provider has. Leave it out.`;
  }
  if (name === toolsName) {
    return (
      "A tool of this request names a server that the provider is to call, which this endpoint does not allow. Leave it out, or " +
      `ask the operator to name '${toolsName}' in the endpoint's allowed_parameters.`
    );
  }
  return (
    `Parameter ${shown} chooses a model, a route or a provider, which this endpoint does not allow. Leave it out, or ask the ` +
    "operator to name it in the endpoint's allowed_parameters."
  );
}
