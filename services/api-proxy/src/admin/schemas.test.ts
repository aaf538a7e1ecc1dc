import { findDisagreement } from "@gatehouse/admin/testing";
import { expect, test } from "vitest";
import { endpointOperations } from "./endpoint-operations.ts";
import { oauthOperations } from "./oauth-operations.ts";

test.each([...endpointOperations, ...oauthOperations])("$name enforces what its schema says", (operation) => {
  expect(findDisagreement(operation)).toBeUndefined();
});
