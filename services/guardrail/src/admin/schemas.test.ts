import { findDisagreement } from "@gatehouse/admin/testing";
import { expect, test } from "vitest";
import { policyOperations } from "./policy-operations.ts";

test.each(policyOperations)("$name enforces what its schema says", (operation) => {
  expect(findDisagreement(operation)).toBeUndefined();
});
