import { findDisagreement } from "@gatehouse/admin/testing";
import { expect, test } from "vitest";
import { credentialOperations } from "./credential-operations.ts";
import { credentialTestOperation } from "./credential-test-operation.ts";
import { draftOperations } from "./draft-operations.ts";
import { endpointOperations } from "./endpoint-operations.ts";
import { providerOperations } from "./provider-operations.ts";
import { usageOperations } from "./usage-operations.ts";

const operations = [
  ...providerOperations,
  ...credentialOperations,
  credentialTestOperation,
  ...endpointOperations,
  ...draftOperations,
  ...usageOperations,
];

test.each(operations)("$name enforces what its schema says", (operation) => {
  expect(findDisagreement(operation)).toBeUndefined();
});
