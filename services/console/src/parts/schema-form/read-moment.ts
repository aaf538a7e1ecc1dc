import { Unreadable } from "./unreadable.ts";

/** State of a native date field that is incomplete, for which it has no text. */
export const halfMoment = new Unreadable("", "Complete the date and the time, or clear both.");

/** RFC 3339 permits years up to 9999. */
export const lastMoment = "9999-12-31T23:59";

/**
 * Parses a time in the viewer's zone, such as `2027-01-31T12:00`, to UTC.
 * @param afterMs present where the time must be later than this one
 * @returns undefined for empty text
 */
export function readMoment(text: string, afterMs?: number): string | Unreadable | undefined {
  if (text === "") return undefined;
  const date = new Date(text);
  const ms = date.getTime();
  const year = date.getUTCFullYear();
  if (Number.isNaN(ms) || year < 0 || year > 9_999) return new Unreadable(text, "The year must be at most 9999.");
  if (toLocalText(date.toISOString()) !== withoutZeros(text)) {
    return new Unreadable(text, "This time does not exist here (clock change). Choose an earlier or a later one.");
  }
  if (afterMs !== undefined && ms <= afterMs)
    return new Unreadable(text, "This moment has passed. Choose a later one.");
  return date.toISOString();
}

/** A time in the viewer's zone for the native date field, with seconds if any; empty for an invalid one. */
export function toLocalText(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  const day = [padded(at.getFullYear(), 4), padded(at.getMonth() + 1), padded(at.getDate())].join("-");
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => padded(part)).join(":");
  return withoutZeros(`${day}T${time}`);
}

function padded(part: number, length = 2): string {
  return String(part).padStart(length, "0");
}

/** Removes zero seconds and fractions. */
function withoutZeros(text: string): string {
  return text.replace(/\.0+$/, "").replace(/(T\d{2}:\d{2}):00$/, "$1");
}
