import {
  boolean,
  defineOperation,
  type JsonObject,
  nullable,
  object,
  optional,
  readProject,
  refined,
  string,
  unknown,
  writeProject,
} from "@gatehouse/admin";
import type { ExternalDocument } from "../domain/external/external-document.ts";
import { ownerUuidOf, type PolicyOwner } from "../domain/policy-owner.ts";
import { checkEffective, ineffectiveParts } from "../domain/policy/check-effective.ts";
import { invalidPolicy, showPolicy } from "../domain/policy/policy-document.ts";
import { policyFields, type PolicyInput } from "../domain/policy/policy-schema.ts";
import { surfaceOf } from "../domain/policy/rule-reach.ts";
import { clearPolicy, readPolicy, savePolicy } from "../store/policies.ts";
import type { AdminContext } from "./admin-context.ts";
import { hideSecretIds, keepSecrets } from "./external-secrets.ts";
import { subject, toOwner, withOwner } from "./owner.ts";
import { readPolicyInForce } from "./policy-in-force.ts";
import { testOperation } from "./test-operation.ts";

/** A policy with every default; what it leaves open is absent or null. */
const shownPolicy = Object.fromEntries(Object.keys(policyFields).map((name) => [name, optional(unknown())]));

const policyInForce = object({
  ...shownPolicy,
  project: string(),
  endpoint: nullable(string()),
  source: nullable(string()),
  own: nullable(object(shownPolicy)),
  updated_at: nullable(string()),
  warning: optional(string()),
});

const set = defineOperation({
  name: "svc_set_guardrails",
  description:
    "Sets the guardrail policy of a project or of an endpoint, replacing its previous one. An endpoint's policy adds to its " +
    "project's, and the stricter setting applies; with `replace: true`, it replaces the project's. Checks that are not named " +
    "are off. `clear: true` removes the policy.",
  access: writeProject,
  subject,
  input: refined(
    withOwner({
      clear: optional(
        boolean("Removes the policy; for an endpoint, its project's stays. Send no setting of a policy with it."),
      ),
      ...policyFields,
    }),
    ({ clear, project: _project, endpoint: _endpoint, ...given }) => {
      const [extra] = clear === true ? Object.keys(given) : [];
      return extra === undefined ? undefined : `clear cannot be sent together with ${extra}.`;
    },
  ),
  output: policyInForce,
  async prepare(call, context: AdminContext) {
    const { project: _project, endpoint: _endpoint, clear, ...given } = call.input;
    const policyOwner = toOwner(call);
    if (clear === true) return { owner: policyOwner, saved: undefined };
    const compiled = await context.compile(withSurfaces(given, call.projectType));
    if (compiled.document.replace && policyOwner.endpointUuid === undefined) {
      throw invalidPolicy("replace", "is for an endpoint's policy; a project's has none above it. Leave it out.");
    }
    checkEffective(compiled, { owner: policyOwner, projectType: call.projectType });
    for (const { url } of compiled.document.external) await context.checkUrl(url);
    const { projectUuid } = policyOwner;
    const present = await readOwnExternals(context, policyOwner);
    const saved = keepSecrets(compiled.document, { keyring: context.keyring, projectUuid, present });
    return { owner: policyOwner, saved };
  },
  async run({ initiator, projectType, prepared: { owner: policyOwner, saved } }, context) {
    const change = { owner: policyOwner, initiator };
    if (saved === undefined) await clearPolicy(context.store, change);
    else await savePolicy(context.store, change, saved);
    return await describePolicy(context, policyOwner, projectType);
  },
});

const get = defineOperation({
  name: "svc_get_guardrails",
  description:
    "Shows the guardrail policy in force for a project or an endpoint. `source` is its origin: project, endpoint, both (the " +
    "endpoint's adds to its project's), or null without a policy. `own` is the policy that was set for the project or endpoint " +
    "itself.",
  access: readProject,
  subject,
  input: withOwner({}),
  output: policyInForce,
  run: async (call, context: AdminContext) => await describePolicy(context, toOwner(call), call.projectType),
});

/** Operations on the policies of projects and endpoints, and their trial on given texts. */
export const policyOperations = [set, get, testOperation] as const;

/** The policy in force with every default, where it comes from, and the owner's own; with every check off where there is none. */
async function describePolicy(
  context: AdminContext,
  policyOwner: PolicyOwner,
  projectType: string,
): Promise<JsonObject> {
  const inForce = await readPolicyInForce(context, policyOwner);
  const { document } = inForce?.policy ?? (await context.compile(withSurfaces({}, projectType)));
  return {
    project: policyOwner.projectUuid,
    endpoint: policyOwner.endpointUuid ?? null,
    source: inForce?.source ?? null,
    ...hideSecretIds(showPolicy(document)),
    max_content_length: document.max_content_length ?? null,
    own: inForce?.own === undefined ? null : hideSecretIds(inForce.own.document),
    updated_at: inForce?.updatedAt.toISOString() ?? null,
    ...warningOf(inForce?.dropped ?? [], ineffectiveParts(document, projectType)),
  };
}

/** A policy that names no surfaces covers the traffic of its project's type. */
function withSurfaces<Policy extends PolicyInput>(given: Policy, projectType: string): Policy {
  const surface = surfaceOf(projectType);
  return surface === undefined || given.surfaces !== undefined ? given : { ...given, surfaces: [surface] };
}

/** The guardrails elsewhere of the policy that an owner has now. */
async function readOwnExternals(context: AdminContext, policyOwner: PolicyOwner): Promise<readonly ExternalDocument[]> {
  const saved = await readPolicy(context.database, ownerUuidOf(policyOwner));
  return saved === undefined ? [] : (await context.compile(saved.document)).document.external;
}

function warningOf(dropped: readonly string[], ineffective: readonly string[]): JsonObject {
  const names = dropped.join(", ");
  const replaced = `This policy stands in place of the project's, which is stricter about: ${names}. Set replace to false to keep both.`;
  const warnings = [...(dropped.length === 0 ? [] : [replaced]), ...ineffective];
  return warnings.length === 0 ? {} : { warning: warnings.join(" ") };
}
