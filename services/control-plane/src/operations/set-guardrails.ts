import { GatewayError } from "@gatehouse/errors";
import { encodePolicy } from "../clients/guardrail-admin.ts";
import { policyArguments } from "../clients/guardrail-arguments.ts";
import { flag, optional } from "../domain/arguments.ts";
import { guardrailOwnerArguments, resolveGuardrailOwner } from "./guardrail-owner.ts";
import { writeProject } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";

export const setGuardrails = defineOperation({
  name: "svc_set_guardrails",
  description:
    "Sets the guardrail policy of a project, or of one endpoint, in place of the one it had. An endpoint's policy adds to its " +
    "project's, the stricter setting counting; `replace: true` puts it in its place. Checks that are not named are off. " +
    "`clear: true` removes the policy instead.",
  access: writeProject,
  arguments: {
    ...guardrailOwnerArguments,
    clear: optional(flag("Removes the policy; an endpoint has its project's alone.")),
  },
  furtherArguments: policyArguments,
  async run(args, context, given) {
    const owner = await resolveGuardrailOwner(args, context);
    const { project: _project, endpoint: _endpoint, clear: _clear, ...document } = given;
    const options = context.caller.optionsFor(owner.project);
    if (args.clear !== true) {
      const { policy } = await context.guardrail.setPolicy({ owner, documentJson: JSON.stringify(document) }, options);
      return encodePolicy(policy, owner);
    }
    const [extra] = Object.keys(document);
    if (extra !== undefined) throw new GatewayError("invalid_argument", `clear cannot be sent together with ${extra}.`);
    return encodePolicy((await context.guardrail.clearPolicy({ owner }, options)).policy, owner);
  },
});
