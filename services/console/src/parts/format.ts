import { findFlaw } from "@gatehouse/json/typed";

/** U+202F, without a line break: between thousands, as in 12 500, and before units. */
const thinSpace = "\u202F";

/** A whole number with thin spaces between thousands. */
export function formatCount(value: number): string {
  return withThinSpaces(Math.round(value).toString());
}

function withThinSpaces(digits: string): string {
  return digits.replace(/\B(?=(?:\d{3})+$)/g, thinSpace);
}

/** Costs are stored in millionths. */
const moneyDecimalsMax = 6;

/** US dollars: cents, or the two leading digits below a cent. */
export function formatMoney(usd: number): string {
  if (usd !== 0 && Math.abs(usd) < 0.01) {
    const decimals = Math.min(moneyDecimalsMax, 1 - Math.floor(Math.log10(Math.abs(usd))));
    return `$${usd.toFixed(decimals)}`;
  }
  const [whole = "", cents = ""] = usd.toFixed(2).split(".");
  return `$${withThinSpaces(whole)}.${cents}`;
}

/** A part of a whole as a percentage; tenths below ten percent. */
export function formatShare(share: number): string {
  const percent = share * 100;
  const decimals = percent === 0 || percent >= 9.95 ? 0 : 1;
  return `${percent.toFixed(decimals)}${thinSpace}%`;
}

/** Milliseconds below a second, else seconds. */
export function formatDuration(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)}${thinSpace}ms` : `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)}${thinSpace}s`;
}

const spanUnits = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"],
] as const;

/** A duration in its largest unit: seconds, minutes, hours or days. */
export function formatSpan(seconds: number): string {
  const [size, unit] = spanUnits.find(([from]) => seconds >= from) ?? [1, "s"];
  return `${formatCount(Math.floor(seconds / size))}${thinSpace}${unit}`;
}

/** Resolution of the page's clock. */
const justNowSeconds = 10;
const steps = [
  [60, "second", 1],
  [3_600, "minute", 60],
  [86_400, "hour", 3_600],
  [2_592_000, "day", 86_400],
  [31_536_000, "month", 2_592_000],
  [Number.POSITIVE_INFINITY, "year", 31_536_000],
] as const;
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

/** Time since a moment, or until it: "3 minutes ago". */
export function formatRelative(iso: string, nowMs: number): string {
  const seconds = (Date.parse(iso) - nowMs) / 1_000;
  if (Math.abs(seconds) < justNowSeconds) return "just now";
  const [, unit, size] = steps.find(([below]) => Math.abs(seconds) < below) ?? steps[5];
  return relative.format(Math.round(seconds / size), unit);
}

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const dayAndClock = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

/** A time in the viewer's zone, as 14:02:11; with the date if it is another day. */
export function formatClock(atMs: number, nowMs: number): string {
  const isToday = new Date(atMs).toDateString() === new Date(nowMs).toDateString();
  return (isToday ? clock : dayAndClock).format(atMs);
}

/** A time in the viewer's zone and in UTC. */
export function formatAbsolute(iso: string): string {
  return `${dayAndClock.format(new Date(iso))} · ${iso.replace("T", " ").replace(/\.\d+Z$/, "")} UTC`;
}

/** Shortens an id in the middle. */
export function shorten(id: string): string {
  return id.length <= 14 ? id : `${id.slice(0, 8)}…${id.slice(-4)}`;
}

/** `rate_limit_per_minute` as a label: "Rate limit per minute". */
export function toLabel(name: string): string {
  const words = name
    .replaceAll("_", " ")
    .replace(/\bms\b/, "(ms)")
    .replace(/\busd\b/, "(US$)");
  const spelled = words.replace(/\b(?:ai|url|mcp|pii|iban|id|ip|api|jwks)\b/g, (word) => word.toUpperCase());
  return spelled.charAt(0).toUpperCase() + spelled.slice(1);
}

/** Indents JSON; other text, and JSON that parsing would change, stays as it is. */
export function prettyJson(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return findFlaw(text) === undefined ? JSON.stringify(value, null, 2) : text;
  } catch {
    return text;
  }
}
