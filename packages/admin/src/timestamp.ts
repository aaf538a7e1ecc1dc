import { Type } from "typebox";
import { messagesKey, refined } from "./schemas.ts";

/** RFC 3339, section 5.6: a full date, a time and an offset. */
const form =
  /^(\d{4})-(\d{2})-(\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/;
/** Years in UTC, since the offset may lead to another year; Postgres takes no others as ISO text. */
const yearMin = 1;
const yearMax = 9_999;
const days = `the day must exist, in a year from ${yearMin} to ${yearMax}`;
const problem = `must be a timestamp such as 2027-01-31T12:00:00Z; ${days} (UTC)`;

/** A time as RFC 3339 text; read it with {@link toDate}. */
export function timestamp(description: string) {
  const schema = Type.Unsafe<string>({
    type: "string",
    description: `${description} RFC 3339, such as 2027-01-31T12:00:00Z; ${days}.`,
    format: "date-time",
    pattern: form.source,
    [messagesKey]: { pattern: problem },
  });
  return refined(schema, (text) => (isMoment(text) ? undefined : problem));
}

/** Converts a text that {@link timestamp} has admitted, with a lower-case `t` or `z` too; not valid for other texts. */
export function toDate(timestampText: string): Date {
  return new Date(timestampText.toUpperCase());
}

const lastMomentMs = Date.UTC(yearMax, 11, 31, 23, 59, 59, 999);

/** The text of a time, for a {@link timestamp}. A later one than the last that it admits, such as the end of a bucket, becomes that. */
export function toTimestamp(atMs: number): string {
  return new Date(Math.min(atMs, lastMomentMs)).toISOString();
}

/** Whether the date exists, in a year that can be stored; false for 30 February. */
function isMoment(text: string): boolean {
  const yearInUtc = toDate(text).getUTCFullYear();
  if (!(yearInUtc >= yearMin && yearInUtc <= yearMax)) return false;
  const [, year, month, day] = form.exec(text) ?? [];
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}
