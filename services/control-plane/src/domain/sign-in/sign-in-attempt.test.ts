import { expect, test } from "vitest";
import { attemptBytes, attemptLifeMs, secretsOfAttempt, toAttempt } from "./sign-in-attempt.ts";

const now = new Date("2026-11-22T12:00:00Z");
const random = Buffer.alloc(attemptBytes, 7);
const later = (ms: number) => new Date(now.getTime() + ms);

test("an attempt has the same secrets until it is too old, and others for another provider", () => {
  const attempt = toAttempt(now, random);
  const secrets = secretsOfAttempt(attempt, "corp", now);
  expect(secrets?.codeVerifier).toMatch(/^[\w-]{43}$/);
  expect(new Set(Object.values(secrets ?? {})).size).toBe(3);
  expect(secretsOfAttempt(attempt, "corp", later(attemptLifeMs))).toEqual(secrets);
  expect(secretsOfAttempt(attempt, "corp", later(attemptLifeMs + 1))).toBeUndefined();
  expect(secretsOfAttempt(attempt, "other", now)?.state).not.toBe(secrets?.state);
});

test("an attempt with a changed time has other secrets, and one from the future has none", () => {
  const attempt = toAttempt(now, random);
  const [, kept = ""] = attempt.split(".");
  const moved = `${later(1_000).getTime().toString(36)}.${kept}`;
  expect(secretsOfAttempt(moved, "corp", now)?.state).not.toBe(secretsOfAttempt(attempt, "corp", now)?.state);
  expect(secretsOfAttempt(toAttempt(later(120_000), random), "corp", now)).toBeUndefined();
});

test.each(["", ".", "x", "kx.short", `${"z".repeat(13)}.${"A".repeat(43)}`, `!.${"A".repeat(43)}`])(
  "the text %j is not an attempt",
  (text) => {
    expect(secretsOfAttempt(text, "corp", now)).toBeUndefined();
  },
);
