import { setTimeout as delay } from "node:timers/promises";
import { codeOf, isGatewayError } from "@gatehouse/errors";
import type { Logger } from "@gatehouse/telemetry";
import type { Readiness } from "./service.ts";

/** Work of one kind that waits in a part, for the service's state, which leaves out a count of 0. */
export interface Backlog {
  /** Kind of work, for people, such as `audit events to send`. */
  readonly name: string;
  readonly count: number;
  /** Age of the oldest item, milliseconds. */
  readonly oldestMs: number;
}

/** A component of a service with a lifetime. A service starts its parts in order and stops them in reverse. */
export interface Part {
  readonly name: string;
  /** Repeated while the database is away, so a failed start must leave nothing running. */
  readonly start?: () => void | Promise<void>;
  /** Called once after an attempted start, and always with `mustClose`. */
  readonly stop?: () => void | Promise<void>;
  /** Whether it holds resources before its start. */
  readonly mustClose?: boolean;
  /** Reasons why the part cannot work now; any makes the service unready. */
  readonly problems?: () => readonly string[] | Promise<readonly string[]>;
  /** Messages for operators that do not affect readiness. */
  readonly notices?: () => readonly string[] | Promise<readonly string[]>;
  /** Bound of its reports, milliseconds, where they ask others with {@link reportTimeoutMs} each; that bound where absent. */
  readonly reportTimeoutMs?: number;
  /** Work yet to do; does not affect readiness. */
  readonly backlogs?: () => readonly Backlog[] | Promise<readonly Backlog[]>;
}

/** Longest wait for one part's report, milliseconds, so that `/readyz` answers within a second. */
export const reportTimeoutMs = 900;
/** Bound of a part that reports for other parts: longer, so that the hanging part is named rather than this one. */
export const nestedReportTimeoutMs = 950;

/** Readiness from the reports of all parts, requested at once. A late report counts as a problem. */
export async function reportParts(parts: readonly Part[], log?: Logger): Promise<Readiness> {
  const reports = await Promise.all(parts.map(async (part) => await reportPart(part, log)));
  const problems = reports.flatMap((report) => report.problems);
  // Parts that share a resource, such as a folder, report the same problem.
  const all = new Set([...problems, ...reports.flatMap(({ notices }) => notices)]);
  return { ready: problems.length === 0, problems: [...all] };
}

/** The report of one part, within the bound. A failed report is a problem; its error is logged. */
export async function reportPart(part: Part, log?: Logger) {
  const { name, problems, notices, reportTimeoutMs: boundMs = reportTimeoutMs } = part;
  const read = async (report: Part["problems"]): Promise<readonly string[]> => {
    if (report === undefined) return [];
    const late = [`${name} did not report within ${boundMs} ms`];
    try {
      return await withinReportTime(async () => await report(), late, boundMs);
    } catch (err) {
      log?.warn({ err, part: name }, "A part could not report its problems.");
      return [`${name}: ${describe(err)}`];
    }
  };
  const [foundProblems, foundNotices] = await Promise.all([read(problems), read(notices)]);
  return { problems: foundProblems, notices: foundNotices };
}

/** Reports are shown to viewers, and database errors name tables, so only messages for callers are passed on. */
function describe(err: unknown): string {
  if (isGatewayError(err)) return err.message;
  return `could not report (${failureCodeOf(err) ?? (err instanceof Error ? err.name : "unknown")})`;
}

/** The answer, or `late` where it exceeds the bound. @throws the error of `ask`. */
export async function withinReportTime<Answer>(
  ask: () => Promise<Answer>,
  late: Answer,
  boundMs: number = reportTimeoutMs,
): Promise<Answer> {
  const bound = new AbortController();
  const silence = delay(boundMs, late, { signal: bound.signal }).catch(() => late);
  try {
    return await Promise.race([ask(), silence]);
  } finally {
    bound.abort();
  }
}

/** Code of an error or its cause: from Postgres (`42501`), Prisma (`P2010`) or the system (`ECONNREFUSED`). */
export function failureCodeOf(err: unknown): string | undefined {
  if (!(err instanceof Error)) return undefined;
  const code = codeOf(err);
  if (code !== undefined && /^[A-Z0-9]{5,}$/.test(code)) return code;
  return failureCodeOf(err.cause);
}
