import type { OperationCall } from "@gatehouse/admin";
import { GatewayError } from "@gatehouse/errors";
import { keysForEveryProject } from "../domain/matching.ts";
import { readDeliveryKeys, readWebhookKeys } from "../store/event-keys.ts";
import type { AdminContext } from "./admin-context.ts";

type Reach = Pick<OperationCall<unknown>, "isForNamedProjects">;

/**
 * Events of the whole gateway name other projects, administrators and their addresses: they are for administrators of the whole
 * gateway, and so are the webhooks that are sent them.
 * @throws GatewayError `not_allowed`
 */
export function requireKeys({ isForNamedProjects }: Reach, keys: readonly string[]): void {
  const [key] = isForNamedProjects ? keysForEveryProject(keys) : [];
  if (key === undefined) return;
  const problem = `the event '${key}' is of the whole gateway, and so needs a role for the whole gateway.`;
  throw new GatewayError("not_allowed", `Not allowed: ${problem}`);
}

/** Refuses calls about webhooks that are not the caller's to read or change, before they do anything. @throws GatewayError `not_allowed` */
export async function requireWebhook(webhookId: number, call: Reach, { database }: AdminContext): Promise<void> {
  if (call.isForNamedProjects) requireKeys(call, await readWebhookKeys(database, webhookId));
}

/** Refuses calls about another's delivery: its webhook may have been sent other events before. */
export async function requireDelivery(call: Reach, { database }: AdminContext, deliveryId: number): Promise<void> {
  if (call.isForNamedProjects) requireKeys(call, await readDeliveryKeys(database, deliveryId));
}
