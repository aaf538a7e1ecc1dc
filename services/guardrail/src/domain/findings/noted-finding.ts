import { mayQuote, type Finding, type InspectRequest, type Verdict } from "../policy/verdict.ts";
import type { LetterStatistics } from "../text/scrambled.ts";
import type { MaskSpan } from "../text/mask-text.ts";
import { excerptOf } from "./excerpt.ts";

/** The consequence of a finding. */
export type FindingAction = "blocked" | "masked" | "observed";

/** A finding as it is kept. */
export interface NotedFinding {
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
export const notedMax = 5;
/** Characters of a label, and of a request's id, that are kept. */
const labelLengthMax = 200;

/** The call that findings belong to. */
export interface NotedCall {
  readonly projectUuid: string;
  readonly endpointUuid: string | undefined;
  readonly at: Date;
  /** Absent: no excerpts are kept. */
  readonly statistics: LetterStatistics | undefined;
}

/** The part of a verdict that is kept; scores below the line are no findings. */
export function notedFindings(
  request: InspectRequest,
  verdict: Verdict,
  { statistics, ...place }: NotedCall,
): readonly NotedFinding[] {
  const hits = verdict.findings.filter(({ start, end }) => end > start);
  // The decisive ones come first: it is what people ask about.
  const decisive = hits.filter(({ detector }) => verdict.blocked && detector === verdict.reason);
  return [...new Set([...decisive, ...hits])].slice(0, notedMax).map((finding) => {
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
      excerpt:
        statistics === undefined
          ? undefined
          : excerptFor(text, { ...finding, hidden: hiddenSpans(verdict, textIndex) }, statistics),
    };
  });
}

function actionOf({ detector, textIndex, start, end }: Finding, verdict: Verdict): FindingAction {
  if (verdict.blocked) return detector === verdict.reason ? "blocked" : "observed";
  const spans = verdict.maskedSpans ?? [];
  const isMasked = spans.some((span) => span.textIndex === textIndex && span.start <= start && span.end >= end);
  return isMasked ? "masked" : "observed";
}

/** A find of personal data or of a credential is its label; a sentence is shown, masked like what is around it. */
function excerptFor(
  text: string,
  { detector, label, start, end, hidden }: Finding & { readonly hidden: readonly MaskSpan[] },
  statistics: LetterStatistics,
): string | undefined {
  // A guardrail elsewhere says of no place what it is about.
  if (detector === "external" || text === "") return undefined;
  return excerptOf(text, { start, end, label: mayQuote(detector) ? undefined : label, hidden }, statistics);
}

/** Values in a text that the policy has found or masked; the length of a text, and a guardrail elsewhere, say of no place what it is. */
function hiddenSpans({ findings, maskedSpans = [] }: Verdict, textIndex: number): readonly MaskSpan[] {
  const values = findings.filter(
    ({ detector }) => !mayQuote(detector) && detector !== "content_length" && detector !== "external",
  );
  return [...maskedSpans, ...values].filter((span) => span.textIndex === textIndex);
}
