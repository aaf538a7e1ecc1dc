import { encodeFinding, encodeSource } from "../clients/guardrail-admin.ts";
import { reference } from "../domain/arguments.ts";
import { guardrailOwnerArguments, resolveGuardrailOwner } from "./guardrail-owner.ts";
import { readProject } from "../domain/access.ts";
import { defineOperation } from "./operation.ts";

export const testGuardrails = defineOperation({
  name: "svc_test_guardrails",
  description:
    "Tries a text against the policy in force, as a user's message. Every check runs, and all findings are shown with their " +
    "places as UTF-16 offsets. Nothing is logged or counted.",
  access: readProject,
  arguments: { ...guardrailOwnerArguments, text: reference("The text to try.") },
  async run(args, context) {
    const owner = await resolveGuardrailOwner(args, context);
    const verdict = await context.guardrail.testPolicy({ owner, text: args.text });
    return {
      blocked: verdict.blocked,
      ...(verdict.blocked ? { message: verdict.message, reason: verdict.reason } : {}),
      findings: verdict.findings.map(encodeFinding),
      ...(verdict.maskedText === undefined ? {} : { masked_text: verdict.maskedText }),
      source: encodeSource(verdict.source),
    };
  },
});
