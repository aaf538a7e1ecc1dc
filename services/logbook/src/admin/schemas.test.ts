import { findDisagreement } from "@gatehouse/admin/testing";
import { expect, test } from "vitest";
import { logOperations } from "./log-operations.ts";

test.each(logOperations)("$name enforces what its schema says", (operation) => {
  expect(findDisagreement(operation)).toBeUndefined();
});
