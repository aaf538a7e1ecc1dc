import { expect, test } from "vitest";
import { type Bucket, minutesKeptMs, toLatencyMs, toMetricsRange } from "./metrics.ts";

const now = Date.parse("2030-01-10T12:00:00Z");
const range = (since: string, until: string, bucket: Bucket) =>
  toMetricsRange({ since: new Date(since), until: new Date(until), bucket }, now);

test("a range is widened to whole buckets", () => {
  expect(range("2030-01-10T10:59:59Z", "2030-01-10T11:00:01Z", "1h")).toEqual({
    sinceMs: Date.parse("2030-01-10T10:00:00Z"),
    untilMs: Date.parse("2030-01-10T12:00:00Z"),
    bucketMs: 3_600_000,
    pieces: [
      { from: "hours", sinceMs: Date.parse("2030-01-10T10:00:00Z"), untilMs: Date.parse("2030-01-10T12:00:00Z") },
    ],
    groupsMax: 50,
  });
});

test("buckets of a day are read from the counts by day", () => {
  expect(range("2029-12-12T00:00:00Z", "2030-01-10T11:00:00Z", "1d")).toMatchObject({ pieces: [{ from: "days" }] });
  expect(range("2029-12-12T00:00:00Z", "2030-01-10T11:00:00Z", "6h")).toMatchObject({ pieces: [{ from: "hours" }] });
});

test("one bucket for the whole range is read from whole days and the hours around them", () => {
  const hours = (since: string, until: string) => {
    const whole = range(since, until, "whole");
    if ("problem" in whole) throw new Error(whole.problem);
    return whole.pieces.map(({ from, sinceMs, untilMs }) => [from, (untilMs - sinceMs) / 3_600_000]);
  };
  expect(hours("2025-01-01T22:30:00Z", "2030-01-10T01:30:00Z")).toEqual([
    ["hours", 2],
    ["days", 1_834 * 24],
    ["hours", 2],
  ]);
  expect(hours("2030-01-09T00:00:00Z", "2030-01-10T00:00:00Z")).toEqual([["days", 24]]);
  expect(hours("2030-01-08T23:00:00Z", "2030-01-09T22:30:00Z")).toEqual([["hours", 24]]);
  expect(hours("2030-01-09T05:10:00Z", "2030-01-09T05:20:00Z")).toEqual([["hours", 1]]);
});

test("many buckets allow fewer groups, and too many are refused", () => {
  expect(range("2030-01-09T12:00:00Z", "2030-01-10T12:00:00Z", "1m")).toMatchObject({
    pieces: [{ from: "minutes" }],
    groupsMax: 10,
  });
  expect(range("2029-01-01T00:00:00Z", "2030-01-01T00:00:00Z", "1h")).toEqual({
    problem: "bucket 1h makes 8760 buckets of that range, and 1500 are the most; take a longer one",
  });
});

test("a bucket of a minute needs stored minutes, and a range must not be empty", () => {
  const old = new Date(now - minutesKeptMs - 120_000).toISOString();
  expect(range(old, new Date(now - minutesKeptMs).toISOString(), "1m")).toHaveProperty("problem");
  expect(range(old, new Date(now - minutesKeptMs).toISOString(), "1h")).not.toHaveProperty("problem");
  expect(range("2030-01-10T11:00:00Z", "2030-01-10T11:00:00Z", "1h")).toHaveProperty(
    "problem",
    "until must be after since",
  );
});

test("a step of the scale is read as its middle", () => {
  expect([0, 1, 4, 40].map(toLatencyMs)).toEqual([1, 1.09, 1.83, 939]);
});
