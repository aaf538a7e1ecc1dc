import { expect, test } from "vitest";
import type { RequestEntry } from "../api/types.ts";
import { stepLabels, trailOf } from "./trail.ts";

const entryOf = (details: RequestEntry["details"], more: Partial<RequestEntry> = {}) =>
  ({ route: "chat_direct", attempts: 1, duration_ms: 1_000, ...more, details }) as unknown as RequestEntry;
const timed = (entry: RequestEntry) => trailOf(entry).filter(({ durationMs }) => durationMs > 0);
const all = [...stepLabels.keys()];

test("the trail of an answered call has every step, quick ones without a time, and the reply for the rest", () => {
  const entry = entryOf({ steps_ms: "guardrails 3, provider 812" });
  expect(trailOf(entry).map(({ name }) => name)).toEqual([...all, "reply"]);
  expect(timed(entry)).toEqual([
    { name: "guardrails", durationMs: 3, kind: "step" },
    { name: "provider", durationMs: 812, kind: "step" },
    { name: "reply", durationMs: 185, kind: "reply" },
  ]);
});

test("the trail of a call below a millisecond has every step", () => {
  expect(trailOf(entryOf({}, { duration_ms: 0 })).map(({ name }) => name)).toEqual([...all, "reply"]);
});

test("failed attempts are parts of the provider's time", () => {
  const details = {
    steps_ms: "provider 900",
    failed_attempts: "a:timeout, b:status_503",
    failed_attempts_ms: "500, 20",
  };
  expect(timed(entryOf(details)).slice(0, 3)).toEqual([
    { name: "a: timeout", durationMs: 500, kind: "attempt" },
    { name: "b: status_503", durationMs: 20, kind: "attempt" },
    { name: "provider", durationMs: 380, kind: "step" },
  ]);
});

test("an attempt that failed after it had begun to answer takes its time from the reply", () => {
  const details = { steps_ms: "guardrails 5, provider 100", failed_attempts: "a:cut", failed_attempts_ms: "700" };
  expect(timed(entryOf(details))).toEqual([
    { name: "guardrails", durationMs: 5, kind: "step" },
    { name: "a: cut", durationMs: 700, kind: "attempt" },
    { name: "reply", durationMs: 295, kind: "reply" },
  ]);
});

test("the trail of a refused call ends with the refusal, also below a millisecond", () => {
  const refused = entryOf({ refused_by: "rate_limit" }, { duration_ms: 1, attempts: 0 });
  expect(trailOf(refused)).toEqual([
    { name: "body", durationMs: 0, kind: "step" },
    { name: "endpoint", durationMs: 0, kind: "step" },
    { name: "rate_limit", durationMs: 0, kind: "refusal" },
  ]);
});

test("an unknown step is shown by its name, also as a refusal", () => {
  expect(trailOf(entryOf({ steps_ms: "later 7" })).map(({ name }) => name)).toEqual([...all, "later", "reply"]);
  expect(trailOf(entryOf({ refused_by: "later" }, { attempts: 0 }))).toEqual([
    { name: "later", durationMs: 0, kind: "refusal" },
  ]);
});

test("a call refused before the steps, or of another kind, has no trail", () => {
  expect(trailOf(entryOf({}, { attempts: 0 }))).toEqual([]);
  expect(trailOf(entryOf({}, { route: "api_proxy" }))).toEqual([]);
});
