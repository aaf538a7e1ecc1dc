import { logOperations } from "./log-operations.ts";
import { queryMetrics } from "./metrics-operation.ts";

/** Every operation of this service: the list that it serves and that its schemas are tested by. */
export const operations = [...logOperations, queryMetrics];
