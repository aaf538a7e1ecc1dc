import { findDisagreement } from "@gatehouse/admin/testing";
import { expect, test } from "vitest";
import { logOperations } from "./log-operations.ts";
import { queryMetrics } from "./metrics-operation.ts";

test.each([...logOperations, queryMetrics])("$name enforces what its schema says", (operation) => {
  expect(findDisagreement(operation)).toBeUndefined();
});
