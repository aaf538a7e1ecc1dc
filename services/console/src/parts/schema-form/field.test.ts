import { expect, test } from "vitest";
import { describe } from "./field.ts";

test("a field's description is worded for a form", () => {
  expect(describe({ description: "Requests a minute; null is unlimited." })).toBe(
    "Requests a minute; empty is unlimited.",
  );
  expect(describe({ description: "Sides; both where absent." })).toBe("Sides; both where empty.");
  expect(
    describe({
      format: "date-time",
      description:
        "When it stops working, e.g. 2027-01-31T12:00:00Z; null is never. RFC 3339, such as 2027; it must exist.",
    }),
  ).toBe("When it stops working; empty is never.");
  expect(describe({})).toBeUndefined();
});
