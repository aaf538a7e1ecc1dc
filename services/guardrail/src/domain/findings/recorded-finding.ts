import type { CompiledPolicy } from "../policy/compile-policy.ts";
import { mayQuote, type Finding, type InspectRequest, type Verdict } from "../policy/verdict.ts";
import type { MaskSpan } from "../text/mask-text.ts";
import { excerptOf, type MaskingRules } from "./excerpt.ts";

/** The consequence of a finding. */
type FindingAction = "blocked" | "masked" | "observed";

/** A finding as it is kept. */
export interface RecordedFinding {
  readonly projectUuid: string;
  readonly endpointUuid: string | undefined;
  readonly requestId: string;
  readonly at: Date;
  readonly side: "input" | "output";
  readonly detector: string;
  readonly label: string;
  readonly action: FindingAction;
  readonly score: number | undefined;
  readonly excerpt: string | undefined;
}

/** Findings of one request that are kept. */
const recordedMax = 5;
/** Characters of a label, and of a request's id, that are kept. */
const labelLengthMax = 200;

/** The call that findings belong to. */
interface RecordedCall {
  readonly projectUuid: string;
  readonly endpointUuid: string | undefined;
  readonly at: Date;
  /** The policy by which excerpts are made; undefined: none are kept. */
  readonly excerptsBy: CompiledPolicy | undefined;
}

/** The part of a verdict that is kept; scores below the line are no findings. */
export function recordedFindings(
  request: InspectRequest,
  verdict: Verdict,
  { excerptsBy, ...place }: RecordedCall,
): readonly RecordedFinding[] {
  const hits = verdict.findings.filter(({ start, end }) => end > start);
  // The decisive ones come first: it is what people ask about.
  const decisive = hits.filter(({ detector }) => verdict.blocked && detector === verdict.reason);
  const hiding = excerptsBy && hidingOf(excerptsBy, verdict);
  return [...new Set([...decisive, ...hits])].slice(0, recordedMax).map((finding) => {
    const { detector, label, score, textIndex } = finding;
    const text = request.texts[textIndex]?.text ?? "";
    return {
      ...place,
      requestId: (request.context?.requestId ?? "").slice(0, labelLengthMax),
      side: request.side,
      detector,
      label: label.slice(0, labelLengthMax).toWellFormed().replaceAll("\0", ""),
      action: actionOf(finding, verdict),
      score,
      excerpt: hiding && excerptFor(text, { ...finding, hidden: hiddenSpans(verdict, textIndex) }, hiding),
    };
  });
}

function actionOf({ detector, textIndex, start, isReplaced }: Finding, verdict: Verdict): FindingAction {
  if (verdict.blocked) return detector === verdict.reason ? "blocked" : "observed";
  // A guardrail elsewhere replaces texts and says no place, so its finding itself says whether it did.
  if (isReplaced === true) return "masked";
  const spans = verdict.maskedSpans ?? [];
  // In JSON, a finding over several values has a span in each.
  const isMasked = spans.some((span) => span.textIndex === textIndex && span.start <= start && span.end > start);
  return isMasked ? "masked" : "observed";
}

/**
 * A block says nothing of the matches of own patterns behind it, also where one of them has blocked, so excerpts look for them.
 * Values that a path names cannot be found in a piece of a text: no excerpts then.
 */
function hidingOf(policy: CompiledPolicy, verdict: Verdict): MaskingRules | undefined {
  const { letterStatistics: statistics } = policy.model;
  if (!verdict.blocked) return { statistics, patterns: [] };
  const own = [policy, ...policy.rules.map((rule) => rule.policy)].flatMap(({ patterns }) => patterns ?? []);
  if (own.some(({ others }) => others.length > 0)) return undefined;
  return { statistics, patterns: own.flatMap(({ ofTexts }) => ofTexts) };
}

/** A find of personal data or of a credential is its label; a sentence is shown, masked like what is around it. */
function excerptFor(
  text: string,
  { detector, label, start, end, hidden }: Finding & { readonly hidden: readonly MaskSpan[] },
  hiding: MaskingRules,
): string | undefined {
  // A guardrail elsewhere says of no place what it is about.
  if (detector === "external" || text === "") return undefined;
  return excerptOf(text, { start, end, label: mayQuote(detector) ? undefined : label, hidden }, hiding);
}

/** Values in a text that the policy has found or masked. Findings of length and of external guardrails name no value. */
function hiddenSpans({ findings, maskedSpans = [] }: Verdict, textIndex: number): readonly MaskSpan[] {
  const values = findings.filter(
    ({ detector }) => !mayQuote(detector) && detector !== "content_length" && detector !== "external",
  );
  return [...maskedSpans, ...values].filter((span) => span.textIndex === textIndex);
}
