import { setTimeout as delay } from "node:timers/promises";
import { codeOf, isGatewayError } from "@gatehouse/errors";
import type { Logger } from "@gatehouse/telemetry";
import type { Readiness } from "./service.ts";

/** Work that waits, of one kind. */
export interface Backlog {
  /** The kind, for people, such as `audit events to send`. */
  readonly name: string;
  readonly count: number;
  /** Wait of the one that has waited longest, milliseconds. */
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
  /** News for operators; does not affect readiness. */
  readonly notices?: () => readonly string[] | Promise<readonly string[]>;
  /** Bound of its reports, milliseconds, where they ask others that have {@link reportTimeoutMs} each; that one where absent. */
  readonly reportTimeoutMs?: number;
  /** Work that the part has yet to do; of no consequence for readiness. */
  readonly backlogs?: () => readonly Backlog[] | Promise<readonly Backlog[]>;
}

/** Longest wait for one part's report, milliseconds: `/readyz` answers within a second whatever hangs. */
export const reportTimeoutMs = 900;
/**
 * Bound of a part whose report is that of other parts: longer, so that the part that hangs is named, and not the one that asked
 * it.
 */
export const nestedReportTimeoutMs = 950;

/** Readiness from the reports of all parts, asked at once. A part that does not report in time counts as a problem. */
export async function reportParts(parts: readonly Part[], log?: Logger): Promise<Readiness> {
  const reports = await Promise.all(parts.map(async (part) => await reportPart(part, log)));
  const problems = reports.flatMap((report) => report.problems);
  // Parts that stand on one thing, such as a folder, report it alike.
  const all = new Set([...problems, ...reports.flatMap(({ notices }) => notices)]);
  return { ready: problems.length === 0, problems: [...all] };
}

/** The report of one part, within the bound. A report that fails is a problem; its error is in the log. */
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

/** Texts of a database name its tables, and reports are shown to viewers: only messages that are meant for callers are. */
function describe(err: unknown): string {
  if (isGatewayError(err)) return err.message;
  return `could not report (${failureCodeOf(err) ?? (err instanceof Error ? err.name : "unknown")})`;
}

/** The answer, or `late` where it does not come within the bound. @throws what `ask` throws. */
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

/** The code of an error, or of what caused it: of Postgres (`42501`), Prisma (`P2010`) or the system (`ECONNREFUSED`). */
export function failureCodeOf(err: unknown): string | undefined {
  if (!(err instanceof Error)) return undefined;
  const code = codeOf(err);
  if (code !== undefined && /^[A-Z0-9]{5,}$/.test(code)) return code;
  return failureCodeOf(err.cause);
}
