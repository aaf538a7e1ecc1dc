import { type Argument, argument, invalid } from "./arguments.ts";

/** RFC 3339, section 5.6: a full date, a time and an offset. */
const form = /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/** A moment as RFC 3339 text, such as `2027-01-31T12:00:00Z`. */
export function timestamp(description: string): Argument<Date> {
  return argument({ type: "string", format: "date-time", description }, (value, field) => {
    if (typeof value !== "string") throw invalid(field, "must be string");
    const parsed = parseTimestamp(value);
    if (parsed === undefined) throw invalid(field, "must be a timestamp such as 2027-01-31T12:00:00Z");
    return parsed;
  });
}

/** Undefined for text that is no moment, a 30th of February included. */
export function parseTimestamp(text: string): Date | undefined {
  const [, year, month, day] = form.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  return new Date(text.toUpperCase());
}
