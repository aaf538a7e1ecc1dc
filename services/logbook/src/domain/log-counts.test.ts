import { expect, test } from "vitest";
import { toBlocks } from "./log-block.ts";
import { toCounts, toLatencyStep, toOutcome } from "./log-counts.ts";
import { latencyStepMax, toLatencyMs } from "./metrics.ts";

test.each([
  [200, null, "ok"],
  [200, "Unknown tool: x", "in_reply"],
  [422, "Request blocked: E-Mail detected in input.", "guardrail_blocked"],
  [422, "Endpoint monthly budget exhausted: x", "budget_exhausted"],
  [401, "x", "unauthorized"],
  [403, "x", "unauthorized"],
  [404, null, "invalid"],
  [429, "x", "rate_limited"],
  [499, null, "client_gone"],
  [500, "x", "internal"],
  [502, "x", "provider"],
  [504, null, "provider"],
])("status %d with the message %j counts as %s", (status, error, outcome) => {
  expect(toOutcome({ status, error })).toBe(outcome);
});

test.each([
  [422, "guardrail_blocked", "guardrail_blocked"],
  [200, "guardrail_blocked", "guardrail_blocked"],
  [422, "budget_exhausted", "budget_exhausted"],
  [429, "budget_reserved", "rate_limited"],
  [422, "token_cap_exceeded", "invalid"],
  [200, "rate_limited", "in_reply"],
  [502, "provider_failed", "provider"],
  [422, "of a newer version", "invalid"],
])("status %d with the code %s counts as %s, with any message", (status, error_code, outcome) => {
  expect(toOutcome({ status, error: "Request blocked: so to speak.", error_code })).toBe(outcome);
  expect(toOutcome({ status, error: "Some words.", error_code })).toBe(outcome);
});

test("a duration's step is the first with an end at or above it", () => {
  expect([0, 1, 2, 4, 8].map(toLatencyStep)).toEqual([0, 0, 4, 8, 12]);
  for (let durationMs = 2; durationMs < 20_000; durationMs += 7) {
    const ratio = toLatencyMs(toLatencyStep(durationMs)) / durationMs;
    expect(Math.abs(ratio - 1)).toBeLessThan(0.095);
  }
  expect(toLatencyStep(2 ** 31 - 1)).toBe(latencyStepMax);
});

test("entries of one minute, kind and step share a count, and others do not", () => {
  const entry = { request_id: "r", route: "chat_direct", status: 200, duration_ms: 10, attempts: 1, prompt_tokens: 5 };
  const entries = [
    { ...entry, at_ms: 60_000 },
    { ...entry, at_ms: 119_999, cost_micros: 3 },
    { ...entry, at_ms: 120_000 },
    { ...entry, at_ms: 60_000, duration_ms: 20 },
    { ...entry, at_ms: 60_000, status: 500 },
  ];
  const counts = toBlocks(entries, 0, 1e9).flatMap(toCounts);
  expect(
    counts.map(({ minuteMs, requests, promptTokens, costMicros }) => [minuteMs, requests, promptTokens, costMicros]),
  ).toEqual([
    [60_000, 2, 10, 3],
    [120_000, 1, 5, 0],
    [60_000, 1, 5, 0],
    [60_000, 1, 5, 0],
  ]);
});

test("cached prompt tokens are counted up to the number of prompt tokens, and invalid numbers are not", () => {
  const entry = { at_ms: 0, request_id: "r", route: "chat_direct", status: 200, duration_ms: 10, attempts: 1 };
  const countOf = (details: unknown) => {
    const [block] = toBlocks([{ ...entry, prompt_tokens: 5, details }], 0, 1e9);
    return block === undefined ? [] : toCounts(block).map(({ cachedTokens }) => cachedTokens);
  };
  expect(countOf({ cached_tokens: 4 })).toEqual([4]);
  expect(countOf({ cached_tokens: 6 })).toEqual([5]);
  for (const details of [
    undefined,
    null,
    "4",
    [4],
    {},
    { cached_tokens: "4" },
    { cached_tokens: -4 },
    { cached_tokens: 0.5 },
  ]) {
    expect(countOf(details)).toEqual([0]);
  }
});
