import { credentialOperations } from "./credential-operations.ts";
import { credentialTestOperation } from "./credential-test-operation.ts";
import { draftOperations } from "./draft-operations.ts";
import { endpointOperations } from "./endpoint-operations.ts";
import { providerOperations } from "./provider-operations.ts";
import { sessionOperations } from "./session-operations.ts";
import { usageOperations } from "./usage-operations.ts";

/** All operations of this service; also the subject of the schema tests. */
export const operations = [
  ...providerOperations,
  ...credentialOperations,
  credentialTestOperation,
  ...endpointOperations,
  ...draftOperations,
  ...sessionOperations,
  ...usageOperations,
];
