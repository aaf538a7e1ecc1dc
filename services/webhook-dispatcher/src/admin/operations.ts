import { deliveryOperations } from "./delivery-operations.ts";
import { webhookHealthOperations } from "./webhook-health.ts";
import { webhookOperations } from "./webhook-operations.ts";

/** Every operation of this service: the list that it serves and that its schemas are tested by. */
export const operations = [...webhookOperations, ...deliveryOperations, ...webhookHealthOperations];
