import { findDisagreement } from "@gatehouse/admin/testing";
import { expect, test } from "vitest";
import { deliveryOperations } from "./delivery-operations.ts";
import { webhookOperations } from "./webhook-operations.ts";

test.each([...webhookOperations, ...deliveryOperations])("$name enforces what its schema says", (operation) => {
  expect(findDisagreement(operation)).toBeUndefined();
});
