import { Unreadable } from "./unreadable.ts";

/** As the browser's own field has it, which is half filled or was half emptied: it has no text for that. */
export const halfMoment = new Unreadable("", "Complete the date and the time, or clear both.");

/** RFC 3339 has no later year. */
export const lastMoment = "9999-12-31T23:59";

interface MomentOptions {
  /** Present where the moment has to be later than this one. */
  readonly afterMs?: number | undefined;
}

/** Reads a moment of the viewer's zone, such as `2027-01-31T12:00`, as UTC. @returns undefined where nothing is entered */
export function readMoment(text: string, { afterMs }: MomentOptions = {}): string | Unreadable | undefined {
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

/** A moment in the viewer's zone as the browser's own field takes it; seconds where there are some. Empty where it is no moment. */
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

/** Without seconds of zero, and parts of them. */
function withoutZeros(text: string): string {
  return text.replace(/\.0+$/, "").replace(/(T\d{2}:\d{2}):00$/, "$1");
}
