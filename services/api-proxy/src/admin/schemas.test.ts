import { findDisagreement } from "@gatehouse/admin/testing";
import { expect, test } from "vitest";
import { operations } from "./operations.ts";

test.each(operations)("$name enforces what its schema says", (operation) => {
  expect(findDisagreement(operation)).toBeUndefined();
});
