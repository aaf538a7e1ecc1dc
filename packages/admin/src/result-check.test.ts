import { expect, test } from "vitest";
import { array, boolean, nullable, number, object, optional, record, string, union } from "./schemas.ts";
import { createResultCheck } from "./testing.ts";

const output = object({
  name: string(),
  note: nullable(string()),
  warning: optional(string()),
  items: array(object({ count: number(), isLarge: boolean() })),
  times: nullable(record(number())),
  mode: union(string(), object({ seconds: number() })),
});
const check = createResultCheck([{ name: "svc_show", output }]);
const shown = { name: "a", note: null, items: [{ count: 1, isLarge: false }], times: { total: 2 }, mode: "refuse" };

test.each([shown, { ...shown, warning: "w", note: "n", times: null, mode: { seconds: 3 } }])(
  "%j is a result",
  (given) => {
    expect(check("svc_show", given)).toBe(given);
  },
);

test.each([
  [{ ...shown, name: null }, "data/name must be string"],
  [{ ...shown, note: undefined }, "must have required property 'note'"],
  [{ ...shown, more: 1 }, "must NOT have additional properties"],
  [{ ...shown, warning: null }, "data/warning must be string"],
  [{ ...shown, items: [{ count: "1", isLarge: true }] }, "data/items/0/count must be number"],
  [{ ...shown, mode: { minutes: 3 } }, "data/mode must match exactly one schema"],
])("%j is not a result: %s", (given, problem) => {
  expect(() => check("svc_show", JSON.parse(JSON.stringify(given)))).toThrow(problem);
});

test("a result of an unknown operation passes", () => {
  expect(check("svc_other", 1)).toBe(1);
});
