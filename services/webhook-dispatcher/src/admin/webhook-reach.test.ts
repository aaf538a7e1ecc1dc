import { urlLengthMax } from "@gatehouse/admin";
import { urlLengthMax as openedLengthMax } from "@gatehouse/egress";
import { expect, test } from "vitest";

test("the longest URL that an operation takes is the longest that the egress guard opens", () => {
  expect(urlLengthMax).toBe(openedLengthMax);
});
