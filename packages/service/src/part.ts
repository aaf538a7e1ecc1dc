import { setTimeout as delay } from "node:timers/promises";
import type { Readiness } from "./service.ts";

/** Work that waits, of one kind. */
export interface Backlog {
  /** The kind, for people, such as `audit events to send`. */
  readonly name: string;
  readonly count: number;
  /** How long the one that has waited longest waits, milliseconds. */
  readonly oldestMs: number;
}

/** Something of a service with a lifetime. A service starts its parts in their order and stops them in reverse. */
export interface Part {
  /** For readiness and logs. */
  readonly name: string;
  /** Tried again where the database is away, so a start that fails leaves nothing running. */
  readonly start?: () => void | Promise<void>;
  /** Called once its start was tried, and in any case where it `mustClose`. */
  readonly stop?: () => void | Promise<void>;
  /** Whether it holds something before its start. */
  readonly mustClose?: boolean;
  /** Why the part cannot do its work now: the service is unready while there is a reason. */
  readonly problems?: () => readonly string[] | Promise<readonly string[]>;
  /** News for operators; the service is ready all the same. */
  readonly notices?: () => readonly string[] | Promise<readonly string[]>;
  /** Work that the part has yet to do; of no consequence for readiness. */
  readonly backlogs?: () => readonly Backlog[] | Promise<readonly Backlog[]>;
}

/** How long one part may take to report, milliseconds: `/readyz` answers within a second whatever hangs. */
export const reportTimeoutMs = 900;

/** Readiness from the reports of all parts, asked at once. A part that does not report in time counts as a problem. */
export async function reportParts(parts: readonly Part[]): Promise<Readiness> {
  const reports = await Promise.all(parts.map(reportPart));
  const problems = reports.flatMap((report) => report.problems);
  return { ready: problems.length === 0, problems: [...problems, ...reports.flatMap(({ notices }) => notices)] };
}

/** The report of one part, within the bound. */
export async function reportPart({ name, problems, notices }: Part) {
  const [found, told] = await Promise.all([reported(name, problems), reported(name, notices)]);
  return { problems: found, notices: told };
}

async function reported(name: string, report: Part["problems"]): Promise<readonly string[]> {
  if (report === undefined) return [];
  try {
    return await withinReportTime(async () => await report(), [`${name} did not report within ${reportTimeoutMs} ms`]);
  } catch (err) {
    return [`${name}: ${err instanceof Error ? err.message : "unknown"}`];
  }
}

/** The answer, or `late` where it does not come within {@link reportTimeoutMs}. @throws what `ask` throws. */
export async function withinReportTime<Answer>(ask: () => Promise<Answer>, late: Answer): Promise<Answer> {
  const bound = new AbortController();
  const silence = delay(reportTimeoutMs, late, { signal: bound.signal }).catch(() => late);
  try {
    return await Promise.race([ask(), silence]);
  } finally {
    bound.abort();
  }
}
