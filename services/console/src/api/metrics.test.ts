import { expect, test } from "vitest";
import { statusOfKind, toChange, toPeriods, toSpanHours, toWhole, toZoom } from "./metrics.ts";

const nowMs = Date.parse("2026-03-05T10:20:30Z");

test("a day has 24 buckets of an hour, and the period before is as long", () => {
  const { now, before, sinceMs, bucketMs } = toPeriods(24, nowMs);
  expect(now).toEqual({ since: "2026-03-04T11:00:00.000Z", until: "2026-03-05T11:00:00.000Z", bucket: "1h" });
  expect(before).toEqual({ since: "2026-03-03T11:00:00.000Z", until: "2026-03-04T11:00:00.000Z", bucket: "whole" });
  expect({ sinceMs, bucketMs }).toEqual({ sinceMs: Date.parse("2026-03-04T11:00:00Z"), bucketMs: 3_600_000 });
});

test("totals of a day are requested in one bucket", () => {
  expect(toWhole(24, nowMs)).toEqual({ ...toPeriods(24, nowMs).now, bucket: "whole" });
});

test("30 days start at midnight, and are compared with as many hours", () => {
  const { now, before } = toPeriods(720, nowMs);
  expect(now).toEqual({ since: "2026-02-04T00:00:00.000Z", until: "2026-03-05T11:00:00.000Z", bucket: "1d" });
  expect(before).toEqual({ since: "2026-01-05T00:00:00.000Z", until: "2026-02-03T11:00:00.000Z", bucket: "whole" });
});

test("a minute that has just begun is part of the last hour", () => {
  const { now } = toPeriods(1, Date.parse("2026-03-05T10:20:00Z"));
  expect(now).toEqual({ since: "2026-03-05T09:21:00.000Z", until: "2026-03-05T10:21:00.000Z", bucket: "1m" });
});

test("an unknown span is a day", () => {
  expect([1, 24, 168, 720, 5, undefined].map(toSpanHours)).toEqual([1, 24, 168, 720, 24, 24]);
});

test("a change is a percentage of what was before, where there was something", () => {
  expect(toChange(150, 100)).toEqual({ text: "+50 %", direction: "up" });
  expect(toChange(50, 100)).toEqual({ text: "−50 %", direction: "down" });
  expect(toChange(100, 100)).toEqual({ text: "unchanged", direction: "same" });
  expect(toChange(5, 0)).toBeUndefined();
  expect(toChange(5, undefined)).toBeUndefined();
});

test("an error's kind is searched in the log by its status", () => {
  expect(statusOfKind("rate_limited")).toBe("429");
  expect(statusOfKind("of a later version")).toBeUndefined();
});

test("a range of a chart has the finest stored buckets, at most 60, and an equal range before it", () => {
  const zoom = toZoom("2026-03-05T09:00:00.000Z", "2026-03-05T10:00:00.000Z", nowMs);
  expect(zoom?.now).toEqual({ since: "2026-03-05T09:00:00.000Z", until: "2026-03-05T10:00:00.000Z", bucket: "1m" });
  expect(zoom?.before).toEqual({ since: "2026-03-05T08:00:00.000Z", until: "2026-03-05T09:00:00.000Z", bucket: "1m" });
  expect(toZoom("2026-03-04T00:00:00Z", "2026-03-05T10:00:00Z", nowMs)?.now.bucket).toBe("1h");
  expect(toZoom("2026-02-10T01:30:00Z", "2026-02-10T02:30:00Z", nowMs)?.now).toEqual({
    since: "2026-02-10T01:00:00.000Z",
    until: "2026-02-10T03:00:00.000Z",
    bucket: "1h",
  });
  expect(toZoom("2026-02-10T01:30:00Z", "2026-02-10T02:30:00Z", nowMs)?.before.bucket).toBe("whole");
});

test.each([
  [undefined, undefined],
  ["2026-03-05T10:00:00Z", "2026-03-05T10:00:00Z"],
  ["soon", "later"],
])("%s to %s is not a range", (since, until) => {
  expect(toZoom(since, until, nowMs)).toBeUndefined();
});
