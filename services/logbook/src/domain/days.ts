/** A day of UTC, as `2026-11-21`. */
export type Day = string;

/** Length of a day of UTC, milliseconds. */
export const dayMs = 86_400_000;

/** The day of a moment, in UTC. */
export function dayOf(atMs: number): Day {
  return new Date(atMs).toISOString().slice(0, 10);
}

function addDays(day: Day, count: number): Day {
  return dayOf(Date.parse(day) + count * dayMs);
}

/** Days on which the gateway log has a partition before it is needed: today's and these. */
const daysAhead = 3;

/** The oldest day that is kept. */
export function oldestDay(nowMs: number, retentionDays: number): Day {
  return addDays(dayOf(nowMs), -retentionDays);
}

/** The days from one to the last that has a partition ahead. */
export function daysFrom(first: Day, nowMs: number): readonly Day[] {
  const count = Math.round((Date.parse(dayOf(nowMs)) - Date.parse(first)) / dayMs) + daysAhead + 1;
  return Array.from({ length: count }, (_, index) => addDays(first, index));
}

/** The day of a partition, or undefined for a table that this service has not made. */
export function dayOfPartition(name: string): Day | undefined {
  const [, year, month, day] = /^gateway_log_p(\d{4})(\d{2})(\d{2})$/.exec(name) ?? [];
  return year === undefined ? undefined : `${year}-${month}-${day}`;
}
