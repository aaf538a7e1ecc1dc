import { deliveryOperations } from "./delivery-operations.ts";
import { webhookHealthOperations } from "./webhook-health.ts";
import { webhookOperations } from "./webhook-operations.ts";

/** All operations of this service; also the subject of the schema tests. */
export const operations = [...webhookOperations, ...deliveryOperations, ...webhookHealthOperations];
