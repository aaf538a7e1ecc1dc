import { expect, test } from "vitest";
import { kindOf, recordStatuses } from "./status-load.ts";

test.each([
  [200, undefined, "200"],
  [503, "1", "503 with Retry-After"],
  [503, undefined, "other"],
  [503, "0", "other"],
  [503, "soon", "other"],
  [429, "1", "other"],
  [422, undefined, "other"],
  [undefined, undefined, "other"],
])("status %s with Retry-After %s counts as %s", (status, retryAfter, kind) => {
  expect(kindOf(status, retryAfter)).toBe(kind);
});

test("replies are counted by second and in total, and the first odd one is kept as an example", () => {
  const { record, tally } = recordStatuses();
  record(0, "200", "");
  record(1, "200", "");
  record(1, "other", "first");
  record(1, "other", "second");
  expect([tally.count(0, "200"), tally.count(1, "200"), tally.count(2, "200")]).toEqual([1, 1, 0]);
  expect([tally.total("200"), tally.total("other"), tally.example()]).toEqual([2, 2, "first"]);
});
