import { findDisagreement } from "@gatehouse/admin/testing";
import { expect, test } from "vitest";
import { upstreamOperations } from "./upstream-operations.ts";

test.each(upstreamOperations)("$name enforces what its schema says", (operation) => {
  expect(findDisagreement(operation)).toBeUndefined();
});
