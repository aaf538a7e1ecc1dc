import { expect, test } from "vitest";
import type { Day } from "./days.ts";
import type { LogRange } from "./log-query.ts";
import { spansOf } from "./log-spans.ts";

const everything: LogRange = { since: undefined, until: undefined, take: 10, before: undefined };
const dayMs = 86_400_000;
const newestMs = Date.parse("2026-12-01");
const days = (count: number): Day[] =>
  Array.from({ length: count }, (_, at) => new Date(newestMs - at * dayMs).toISOString().slice(0, 10));

function shown(all: readonly Day[], range: Partial<LogRange>): (readonly [string, string])[] {
  const text = (atMs: number) => new Date(atMs).toISOString().slice(0, 10);
  return Array.from(spansOf(all, { ...everything, ...range }), ({ fromMs, toMs }) => [text(fromMs), text(toMs)]);
}

test("a log of a month is one span, and a longer one has spans of 64 days that meet, newest first", () => {
  expect(shown(days(34).toReversed(), {})).toEqual([["2026-10-29", "2026-12-02"]]);
  expect(shown(days(130), {})).toEqual([
    ["2026-09-29", "2026-12-02"],
    ["2026-07-27", "2026-09-29"],
    ["2026-07-25", "2026-07-27"],
  ]);
});

test("days without a partition do not count, so that a sparse log has few spans", () => {
  expect(shown(["2016-01-01", "2026-12-01"], {})).toEqual([["2016-01-01", "2026-12-02"]]);
  expect(shown([], {})).toEqual([]);
});

test("a range has the spans of its days, and a block that begins in it may end on the next day", () => {
  const since = new Date("2026-11-20T12:00:00Z");
  expect(shown(days(130), { since, until: new Date("2026-11-22T00:00:00Z") })).toEqual([["2026-11-20", "2026-11-23"]]);
  expect(shown(days(130), { since, before: { atMs: Date.parse("2026-11-21T10:00:00Z"), id: "1" } })).toEqual([
    ["2026-11-20", "2026-11-22"],
  ]);
  expect(shown(days(130), { since: new Date("9999-12-31T23:59:59Z") })).toEqual([]);
  expect(shown(days(130), { until: new Date("0001-01-01T00:00:00Z") })).toEqual([]);
});
