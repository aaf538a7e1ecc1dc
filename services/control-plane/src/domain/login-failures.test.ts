import { expect, test } from "vitest";
import { LoginFailures } from "./login-failures.ts";

test("the first failures of an address in a minute are recorded, and the rest are counted in the next record", () => {
  const failures = new LoginFailures();
  const record = (nowMs: number) => failures.record("192.0.2.1", nowMs);
  for (let attempt = 0; attempt < 5; attempt++) expect(record(attempt)).toEqual({ recorded: true, unrecorded: 0 });
  for (let attempt = 0; attempt < 7; attempt++) expect(record(100 + attempt)).toEqual({ recorded: false });
  expect(record(60_000)).toEqual({ recorded: true, unrecorded: 7 });
  expect(record(60_001)).toEqual({ recorded: true, unrecorded: 0 });
});

test("one address does not use up another's records, up to a total bound", () => {
  const failures = new LoginFailures();
  const recorded = Array.from({ length: 100 }, (_, index) => failures.record(`192.0.2.${index}`, 1).recorded);
  expect(recorded.filter(Boolean)).toHaveLength(60);
  expect(failures.record("192.0.2.99", 60_001)).toEqual({ recorded: true, unrecorded: 1 });
});

test("the least recently used addresses are forgotten beyond a bound", () => {
  const failures = new LoginFailures();
  for (let attempt = 0; attempt < 6; attempt++) failures.record("first", 0);
  for (let index = 0; index < 10_000; index++) failures.record(`address ${index}`, 1);
  expect(failures.record("first", 60_001)).toEqual({ recorded: true, unrecorded: 0 });
});
