import type { OperationCall } from "@gatehouse/admin";
import { GatewayError } from "@gatehouse/errors";
import { keysForEveryProject } from "../domain/matching.ts";
import { readDeliveryKeys, readWebhookKeys } from "../store/event-keys.ts";
import type { AdminContext } from "./admin-context.ts";

type Reach = Pick<OperationCall<unknown>, "isForNamedProjects">;

/**
 * Restricts events of the whole gateway, and webhooks that receive them, to administrators of the whole gateway: such events name
 * other projects, administrators and their addresses.
 * @throws GatewayError `not_allowed`
 */
export function requireKeys({ isForNamedProjects }: Reach, keys: readonly string[]): void {
  const [key] = isForNamedProjects ? keysForEveryProject(keys) : [];
  if (key === undefined) return;
  const problem = `the event '${key}' is of the whole gateway, and so needs a role for the whole gateway.`;
  throw new GatewayError("not_allowed", `Not allowed: ${problem}`);
}

/** Refuses calls about webhooks outside the caller's reach before they have an effect. @throws GatewayError `not_allowed` */
export async function requireWebhook(webhookId: number, call: Reach, { database }: AdminContext): Promise<void> {
  if (call.isForNamedProjects) requireKeys(call, await readWebhookKeys(database, webhookId));
}

/** Refuses calls about deliveries outside the caller's reach; their webhooks may have received other events before. */
export async function requireDelivery(call: Reach, { database }: AdminContext, deliveryId: number): Promise<void> {
  if (call.isForNamedProjects) requireKeys(call, await readDeliveryKeys(database, deliveryId));
}
