import {
  defineOperation,
  flag,
  isUuid,
  type JsonObject,
  type OperationCall,
  optional,
  project,
  record,
  reference,
  resourceNotFound,
} from "@gatehouse/admin";
import { GatewayError } from "@gatehouse/errors";
import { checkFindable } from "../domain/policy/findable-policy.ts";
import { invalidPolicy, showPolicy } from "../domain/policy/policy-document.ts";
import { policyFields } from "../domain/policy/policy-schema.ts";
import type { Finding } from "../domain/policy/verdict.ts";
import { ownerUuidOf, type PolicyOwner } from "../domain/policy-owner.ts";
import type { ExternalDocument } from "../domain/external/external-document.ts";
import { clearPolicy, readPolicy, savePolicy } from "../store/policies.ts";
import type { AdminContext } from "./admin-context.ts";
import { hideSecretIds, keepSecrets } from "./external-secrets.ts";
import { readPolicyInForce } from "./policy-in-force.ts";

const read = { right: "read", scope: "project" } as const;
const write = { right: "write", scope: "project" } as const;

/** Findings in one answer: a hostile text can have very many, and an answer has a bound. */
const findingsMax = 1_000;

/** Exactly one of the two is to be sent. */
const owner = { project: optional(project), endpoint: optional(reference("The endpoint's uuid.")) };

/** Endpoints are other services', which know their projects. */
const subject = { argument: "endpoint", operation: "svc_get_endpoint" } as const;

const set = defineOperation({
  name: "svc_set_guardrails",
  description:
    "Sets the guardrail policy of a project, or of one endpoint, in place of the one it had. An endpoint's policy adds to its " +
    "project's, the stricter setting counting; `replace: true` puts it in its place. Checks that are not named are off. " +
    "`clear: true` removes the policy instead.",
  access: write,
  subject,
  input: record({
    ...owner,
    clear: optional(flag("Removes the policy; an endpoint has its project's alone.")),
    ...policyFields,
  }),
  async run(call, context: AdminContext) {
    const { project: _project, endpoint: _endpoint, clear, ...given } = call.input;
    const change = { owner: toOwner(call), origin: call.origin };
    if (clear === true) {
      const [extra] = Object.keys(given);
      if (extra !== undefined) throw invalid(`clear cannot be sent together with ${extra}.`);
      await clearPolicy(context.store, change);
      return await describePolicy(context, change.owner);
    }
    const compiled = await context.compile(given);
    if (compiled.document.replace && change.owner.endpointUuid === undefined) {
      throw invalidPolicy("replace", "is for an endpoint's policy; a project's has none above it. Leave it out.");
    }
    checkFindable(compiled);
    for (const { url } of compiled.document.external) await context.checkUrl(url);
    const { projectUuid } = change.owner;
    const present = await readOwnExternals(context, change.owner);
    const saved = keepSecrets(compiled.document, { keyring: context.keyring, projectUuid, present });
    await savePolicy(context.store, change, saved);
    return await describePolicy(context, change.owner);
  },
});

const get = defineOperation({
  name: "svc_get_guardrails",
  description:
    "Shows the guardrail policy in force for a project or an endpoint. `source` says whose it is: project, endpoint, both " +
    "where the endpoint's adds to its project's, or null where there is none. `own` is what was set for it, alone.",
  access: read,
  subject,
  input: record(owner),
  run: async (call, context: AdminContext) => await describePolicy(context, toOwner(call)),
});

const test = defineOperation({
  name: "svc_test_guardrails",
  description:
    "Tries a text against the policy in force, as a user's message. Every check runs, and all findings are shown with their " +
    "places as UTF-16 offsets. Nothing is logged or counted.",
  access: read,
  subject,
  input: record({ ...owner, text: reference("The text to try.") }),
  async run(call, context: AdminContext) {
    const owned = toOwner(call);
    const inForce = await readPolicyInForce(context, owned);
    if (inForce === undefined) return { blocked: false, findings: [], source: null };
    const texts = [{ role: "user", text: call.input.text }];
    const verdict = await context.judge(inForce.policy, { texts, side: "input", exhaustive: true }, owned);
    const masked = verdict.maskedTexts?.[0];
    return {
      blocked: verdict.blocked,
      ...(verdict.blocked ? { message: verdict.message, reason: verdict.reason } : {}),
      findings: verdict.findings.slice(0, findingsMax).map(encodeFinding),
      ...(masked === undefined ? {} : { masked_text: masked }),
      source: inForce.source,
    };
  },
});

export const policyOperations = [set, get, test] as const;

/** @throws GatewayError where not exactly one of project and endpoint is named, or it is unknown. */
function toOwner({
  input,
  origin,
}: OperationCall<{ readonly project?: string; readonly endpoint?: string }>): PolicyOwner {
  const { project: projectUuid, endpoint } = input;
  if (projectUuid !== undefined && endpoint !== undefined) throw invalid("Send either project or endpoint, not both.");
  if (projectUuid !== undefined) return { projectUuid, endpointUuid: undefined };
  if (endpoint === undefined) throw invalid("Missing required argument: project or endpoint");
  // The endpoint's project is the one that the control plane has found.
  if (!isUuid(endpoint) || origin.project === null) throw resourceNotFound("Endpoint", endpoint);
  return { projectUuid: origin.project.uuid, endpointUuid: endpoint.toLowerCase() };
}

/** The policy in force with every default, where it comes from, and the owner's own; with every check off where there is none. */
async function describePolicy(context: AdminContext, policyOwner: PolicyOwner): Promise<JsonObject> {
  const inForce = await readPolicyInForce(context, policyOwner);
  const { document } = inForce?.policy ?? (await context.compile({}));
  return {
    project: policyOwner.projectUuid,
    endpoint: policyOwner.endpointUuid ?? null,
    source: inForce?.source ?? null,
    ...hideSecretIds(showPolicy(document)),
    max_content_length: document.max_content_length ?? null,
    own: inForce?.own === undefined ? null : hideSecretIds(inForce.own.document),
    updated_at: inForce?.updatedAt.toISOString() ?? null,
    ...warningOf(inForce?.dropped ?? []),
  };
}

/** The guardrails elsewhere of the policy that an owner has now. */
async function readOwnExternals(context: AdminContext, policyOwner: PolicyOwner): Promise<readonly ExternalDocument[]> {
  const saved = await readPolicy(context.database, ownerUuidOf(policyOwner));
  return saved === undefined ? [] : (await context.compile(saved.document)).document.external;
}

function warningOf(dropped: readonly string[]): JsonObject {
  if (dropped.length === 0) return {};
  const names = dropped.join(", ");
  return {
    warning: `This policy stands in place of the project's, which is stricter about: ${names}. Set replace to false to keep both.`,
  };
}

function encodeFinding({ detector, label, start, end, score }: Finding): JsonObject {
  return { detector, label, start, end, ...(score === undefined ? {} : { score }) };
}

function invalid(message: string): GatewayError {
  return new GatewayError("invalid_argument", message);
}
