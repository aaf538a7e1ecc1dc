import type { Verdict } from "../policy/verdict.ts";

/** Verdicts of a policy on trial beside those of the one in force, counted. */
export interface ComparisonCounts {
  calls: number;
  same: number;
  newlyBlocked: number;
  noLongerBlocked: number;
  newlyMasked: number;
  noLongerMasked: number;
  /** Calls that there was no time for. */
  skipped: number;
}

/** Endpoint or project of a comparison, and its trial policy. */
export interface ComparisonPlace {
  readonly placeUuid: string;
  readonly projectUuid: string;
  readonly policyKey: string;
}

/** Counts before the first call. */
export const noCounts: Readonly<ComparisonCounts> = {
  calls: 0,
  same: 0,
  newlyBlocked: 0,
  noLongerBlocked: 0,
  newlyMasked: 0,
  noLongerMasked: 0,
  skipped: 0,
};

/** Name of the count that a call belongs to; masks are compared only where neither policy blocks. */
export function compareVerdicts(inForce: Verdict, onTrial: Verdict): keyof ComparisonCounts {
  if (inForce.blocked !== onTrial.blocked) return onTrial.blocked ? "newlyBlocked" : "noLongerBlocked";
  if (inForce.blocked) return "same";
  const [before, after] = [inForce.maskedTexts, onTrial.maskedTexts];
  if (before === undefined) return after === undefined ? "same" : "newlyMasked";
  if (after === undefined) return "noLongerMasked";
  return before.every((text, index) => text === after[index]) ? "same" : "newlyMasked";
}
