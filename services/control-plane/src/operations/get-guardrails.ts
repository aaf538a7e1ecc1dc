import { encodePolicy } from "../clients/guardrail-admin.ts";
import { guardrailOwnerArguments, resolveGuardrailOwner } from "./guardrail-owner.ts";
import { readProject } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";

export const getGuardrails = defineOperation({
  name: "svc_get_guardrails",
  description:
    "Shows the guardrail policy in force for a project or an endpoint. `source` says whose it is: project, endpoint, both " +
    "where the endpoint's adds to its project's, or null where there is none. `own` is what was set for it, alone.",
  access: readProject,
  arguments: guardrailOwnerArguments,
  async run(args, context) {
    const owner = await resolveGuardrailOwner(args, context);
    return encodePolicy((await context.guardrail.getPolicy({ owner })).policy, owner);
  },
});
