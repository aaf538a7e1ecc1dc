import { readMoment } from "../../parts/schema-form/read-moment.ts";
import { Unreadable } from "../../parts/schema-form/unreadable.ts";

/** A range of the overview, in ISO 8601. */
export interface Range {
  readonly since: string;
  readonly until: string;
}

/** A range from two native date fields in the viewer's zone; the problem where they give none. */
export function readRange(sinceText: string, untilText: string): Range | string {
  const [since, until] = [readMoment(sinceText), readMoment(untilText)];
  if (since instanceof Unreadable) return since.problem;
  if (until instanceof Unreadable) return until.problem;
  if (since === undefined || until === undefined) return "Complete the date and the time of both.";
  if (since >= until) return "The range must end after it begins.";
  return { since, until };
}
