import {
  array,
  atLeastOneOf,
  boolean,
  defineOperation,
  encodePage,
  id,
  type JsonObject,
  nullable,
  number,
  object,
  oneOf,
  optional,
  page,
  pageOf,
  readProject,
  resourceNotFound,
  string,
  toPageRequest,
  writeProject,
} from "@gatehouse/admin";
import { maskEverything } from "../domain/findings/excerpt.ts";
import { detectors } from "../domain/policy/verdict.ts";
import { readComparison } from "../store/comparisons.ts";
import { addFeedback, feedbackKinds, type FeedbackRecord, listFeedback } from "../store/feedback.ts";
import { countFindings, findFinding, type FindingRecord, listFindings } from "../store/findings.ts";
import type { AdminContext } from "./admin-context.ts";
import { subject, toOwner, withOwner } from "./owner.ts";
import { readPolicyInForce } from "./policy-in-force.ts";

const textLengthMax = 10_000;
const noteLengthMax = 1_000;

const finding = object({
  id: number(),
  at: string(),
  endpoint: nullable(string()),
  request_id: string(),
  side: string(),
  detector: string(),
  label: string(),
  action: string(),
  score: nullable(number()),
  excerpt: nullable(string()),
});

const feedback = object({
  id: number(),
  at: string(),
  endpoint: nullable(string()),
  actor: string(),
  kind: string(),
  finding_id: nullable(number()),
  detector: nullable(string()),
  text: nullable(string()),
  note: nullable(string()),
});

const list = defineOperation({
  name: "svc_list_findings",
  description:
    "Lists the guardrails' findings in the calls of a project or an endpoint, newest first: detector, action and, if the policy " +
    "keeps excerpts, the line of the finding with everything known masked. Findings are kept for 30 days, at most 10,000 of a " +
    "project and five of a call.",
  access: readProject,
  subject,
  input: withOwner({ detector: optional(oneOf("Only findings of this detector.", detectors)), ...page }),
  output: pageOf("findings", finding),
  async run(call, { database }: AdminContext) {
    const { detector } = call.input;
    const found = await listFindings(database, { owner: toOwner(call), detector, page: toPageRequest(call.input) });
    return encodePage("findings", found, encodeFinding);
  },
});

const count = defineOperation({
  name: "svc_count_findings",
  description:
    "Counts the findings of svc_list_findings for a project or an endpoint by day (UTC), detector and action, oldest day first. " +
    "Days without findings are left out.",
  access: readProject,
  subject,
  input: withOwner({}),
  output: object({ counts: array(object({ day: string(), detector: string(), action: string(), count: number() })) }),
  async run(call, { database }: AdminContext) {
    return { counts: (await countFindings(database, toOwner(call))).map((each) => ({ ...each })) };
  },
});

const giveFeedback = defineOperation({
  name: "svc_add_guardrail_feedback",
  description:
    "Stores a person's feedback on the guardrails, for svc_list_guardrail_feedback: `false_alarm` for a wrong finding, " +
    "`missed` for a text without an expected one. Takes a finding, a text, or both. The finding's detector is stored too, and " +
    "its excerpt if no text is sent. Everything known is masked in text and note first. The newest 10,000 of a project are " +
    "kept until their endpoint or project is deleted. Changes no policy.",
  access: writeProject,
  takesIdempotencyKey: true,
  subject,
  input: atLeastOneOf(
    withOwner({
      kind: oneOf("The kind of fault.", feedbackKinds),
      finding_id: optional(id("The finding's id. Send this, text, or both.")),
      text: optional(string({ description: "The text concerned.", lengthMax: textLengthMax, multiline: true })),
      note: optional(string({ description: "A note for readers.", lengthMax: noteLengthMax, multiline: true })),
    }),
    "finding_id",
    "text",
  ),
  output: feedback,
  async run(call, context: AdminContext) {
    const { kind, finding_id: findingId, text: given, note } = call.input;
    const owned = toOwner(call);
    const { projectUuid } = owned;
    const about =
      findingId === undefined ? undefined : await findFinding(context.database, { projectUuid, id: findingId });
    if (findingId !== undefined && about === undefined) throw resourceNotFound("Finding", String(findingId));
    const statistics = await statisticsOf(context);
    const said = given === undefined ? about?.excerpt : maskEverything(given, statistics);
    const remark = note === undefined ? undefined : maskEverything(note, statistics);
    const { actor } = call.initiator;
    const detector = about?.detector;
    const kept = { owner: owned, actor, kind, findingId, detector, text: said, note: remark };
    return encodeFeedback(await addFeedback(context.store, kept));
  },
});

async function statisticsOf({ compile }: AdminContext) {
  return (await compile({})).model.letterStatistics;
}

const listGiven = defineOperation({
  name: "svc_list_guardrail_feedback",
  description: "Lists people's feedback on the guardrails of a project or an endpoint, newest first, for export.",
  access: readProject,
  subject,
  input: withOwner(page),
  output: pageOf("feedback", feedback),
  async run(call, { database }: AdminContext) {
    const found = await listFeedback(database, { owner: toOwner(call), page: toPageRequest(call.input) });
    return encodePage("feedback", found, encodeFeedback);
  },
});

const compare = defineOperation({
  name: "svc_get_guardrail_comparison",
  description:
    "Compares the policy on trial (`shadow`) with the one in force on live traffic: calls that only the trial would have blocked " +
    "or masked, and calls that only it would have let pass. For a project, counts calls of endpoints without a policy. Another " +
    "policy on trial begins at zero.",
  access: readProject,
  subject,
  input: withOwner({}),
  output: object({
    is_on_trial: boolean(),
    calls: optional(number()),
    same: optional(number()),
    newly_blocked: optional(number()),
    no_longer_blocked: optional(number()),
    newly_masked: optional(number()),
    no_longer_masked: optional(number()),
    skipped: optional(number()),
    first_at: optional(nullable(string())),
    last_at: optional(nullable(string())),
  }),
  async run(call, context: AdminContext) {
    const owned = toOwner(call);
    const { projectUuid, endpointUuid } = owned;
    const inForce = await readPolicyInForce(context, owned);
    const shadow = inForce?.policy.shadow;
    if (shadow === undefined) return { is_on_trial: false };
    const policyKeys = [context.policyKeyOf(shadow.document)];
    const found = await readComparison(context.database, { projectUuid, placeUuid: endpointUuid, policyKeys });
    return {
      is_on_trial: true,
      calls: found.calls,
      same: found.same,
      newly_blocked: found.newlyBlocked,
      no_longer_blocked: found.noLongerBlocked,
      newly_masked: found.newlyMasked,
      no_longer_masked: found.noLongerMasked,
      skipped: found.skipped,
      first_at: found.firstAt?.toISOString() ?? null,
      last_at: found.lastAt?.toISOString() ?? null,
    };
  },
});

/** Operations on findings, the feedback on them, and what a policy on trial would have found. */
export const findingOperations = [list, count, giveFeedback, listGiven, compare] as const;

function encodeFinding(finding: FindingRecord): JsonObject {
  return {
    id: finding.id,
    at: finding.at.toISOString(),
    endpoint: finding.endpointUuid ?? null,
    request_id: finding.requestId,
    side: finding.side,
    detector: finding.detector,
    label: finding.label,
    action: finding.action,
    score: finding.score ?? null,
    excerpt: finding.excerpt ?? null,
  };
}

function encodeFeedback(feedback: FeedbackRecord): JsonObject {
  return {
    id: feedback.id,
    at: feedback.at.toISOString(),
    endpoint: feedback.endpointUuid ?? null,
    actor: feedback.actor,
    kind: feedback.kind,
    finding_id: feedback.findingId ?? null,
    detector: feedback.detector ?? null,
    text: feedback.text ?? null,
    note: feedback.note ?? null,
  };
}
