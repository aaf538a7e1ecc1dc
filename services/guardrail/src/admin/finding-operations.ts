import {
  array,
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
import { invalidArgument } from "@gatehouse/errors";
import { maskEverything } from "../domain/findings/excerpt.ts";
import { detectors } from "../domain/policy/verdict.ts";
import { readComparison } from "../store/comparisons.ts";
import { addFeedback, feedbackKinds, type FeedbackRecord, listFeedback } from "../store/feedback.ts";
import { countFindings, findFinding, type FindingRecord, listFindings } from "../store/findings.ts";
import type { AdminContext } from "./admin-context.ts";
import { owner, subject, toOwner } from "./owner.ts";
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
    "Lists what the guardrails have found in a project's calls, or in an endpoint's, newest first: the detector, what became of " +
    "it, and where the policy keeps excerpts a line around it in which everything known is masked. Kept are 30 days, at most " +
    "10,000 of a project and five of a call.",
  access: readProject,
  subject,
  input: object({ ...owner, detector: optional(oneOf("Only findings of this one.", detectors)), ...page }),
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
    "Counts the findings that svc_list_findings has of a project, or of an endpoint, by day (UTC), detector and what became of " +
    "them; oldest day first, days without findings are left out.",
  access: readProject,
  subject,
  input: object(owner),
  output: object({ counts: array(object({ day: string(), detector: string(), action: string(), count: number() })) }),
  async run(call, { database }: AdminContext) {
    return { counts: (await countFindings(database, toOwner(call))).map((each) => ({ ...each })) };
  },
});

const giveFeedback = defineOperation({
  name: "svc_add_guardrail_feedback",
  description:
    "Keeps what a person says of the guardrails, for svc_list_guardrail_feedback: `false_alarm` for a wrong finding, " +
    "`missed` for a text in which one was not found. Takes a finding, a text, or both; of a finding its detector is kept " +
    "too, and its excerpt where no text is given. Everything known is masked in text and note before they are kept. The " +
    "newest 10,000 of a project are kept, until their endpoint or project is deleted. Changes no policy.",
  access: writeProject,
  takesIdempotencyKey: true,
  subject,
  input: object({
    ...owner,
    kind: oneOf("What was wrong.", feedbackKinds),
    finding_id: optional(id("The finding that it is about.")),
    text: optional(string({ description: "The text that it is about.", lengthMax: textLengthMax, multiline: true })),
    note: optional(string({ description: "For its readers.", lengthMax: noteLengthMax, multiline: true })),
  }),
  output: feedback,
  async run(call, context: AdminContext) {
    const { kind, finding_id: findingId, text: given, note } = call.input;
    const owned = toOwner(call);
    if (findingId === undefined && given === undefined)
      throw invalidArgument("Missing required argument: finding_id or text");
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
  description:
    "Lists what was said of the guardrails' verdicts in a project, or at an endpoint, newest first, for export.",
  access: readProject,
  subject,
  input: object({ ...owner, ...page }),
  output: pageOf("feedback", feedback),
  async run(call, { database }: AdminContext) {
    const found = await listFeedback(database, { owner: toOwner(call), page: toPageRequest(call.input) });
    return encodePage("feedback", found, encodeFeedback);
  },
});

const compare = defineOperation({
  name: "svc_get_guardrail_comparison",
  description:
    "Shows how the policy on trial (`shadow`) has judged live traffic, beside the one in force: calls that it alone would have " +
    "blocked or masked, and such as it would have let pass. Of a project, calls of endpoints without their own policy. Another " +
    "policy on trial begins at zero.",
  access: readProject,
  subject,
  input: object(owner),
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
