import { findingOperations } from "./finding-operations.ts";
import { policyOperations } from "./policy-operations.ts";

/** Every operation of this service: the list that it serves and that its schemas are tested by. */
export const operations = [...policyOperations, ...findingOperations];
