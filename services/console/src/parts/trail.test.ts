import { expect, test } from "vitest";
import type { RequestEntry } from "../api/types.ts";
import { trailOf } from "./trail.ts";

const entryOf = (details: RequestEntry["details"], duration_ms = 1_000) =>
  ({ details, duration_ms }) as unknown as RequestEntry;

test("an answered call has its steps, and the rest of its time as the reply", () => {
  expect(trailOf(entryOf({ steps_ms: "guardrails 3, provider 812" }))).toEqual([
    { name: "guardrails", durationMs: 3, kind: "step" },
    { name: "provider", durationMs: 812, kind: "step" },
    { name: "reply", durationMs: 185, kind: "reply" },
  ]);
});

test("failed attempts are parts of the provider's time", () => {
  const details = {
    steps_ms: "provider 900",
    failed_attempts: "a:timeout, b:status_503",
    failed_attempts_ms: "500, 20",
  };
  expect(trailOf(entryOf(details)).slice(0, 3)).toEqual([
    { name: "a: timeout", durationMs: 500, kind: "attempt" },
    { name: "b: status_503", durationMs: 20, kind: "attempt" },
    { name: "provider", durationMs: 380, kind: "step" },
  ]);
});

test("a refusal ends the trail, quick as it may have been", () => {
  expect(trailOf(entryOf({ refused_by: "rate_limit" }, 1))).toEqual([
    { name: "rate_limit", durationMs: 0, kind: "refusal" },
  ]);
});

test("an entry without times has no trail", () => {
  expect(trailOf(entryOf({}))).toEqual([]);
  expect(trailOf(entryOf(null))).toEqual([]);
});
