import { findDisagreement } from "@gatehouse/admin/testing";
import { expect, test } from "vitest";
import { deliveryOperations } from "./delivery-operations.ts";
import { webhookHealthOperations } from "./webhook-health.ts";
import { webhookOperations } from "./webhook-operations.ts";

test.each([...webhookOperations, ...deliveryOperations, ...webhookHealthOperations])(
  "$name enforces what its schema says",
  (operation) => {
    expect(findDisagreement(operation)).toBeUndefined();
  },
);
