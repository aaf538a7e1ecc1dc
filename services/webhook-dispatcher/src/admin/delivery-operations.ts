import { defineOperation, flag, id, oneOf, optional, page, record, withDefault } from "@gatehouse/admin";
import { GatewayError } from "@gatehouse/errors";
import { deliveryLists } from "../domain/delivery.ts";
import { startRedelivery, startTest } from "../store/asked-deliveries.ts";
import { deliveryNotFound, isWebhookVisible, listDeliveries, readDelivery } from "../store/deliveries.ts";
import type { StartedDelivery } from "../store/started-delivery.ts";
import { webhookNotFound } from "../store/webhooks.ts";
import type { AdminContext } from "./admin-context.ts";
import { delivery } from "./delivery.ts";
import { requireWebhookId, webhookId } from "./webhook-operations.ts";

const read = { right: "read", scope: "project" } as const;
const write = { right: "write", scope: "project" } as const;

/** Longer than the longest delivery that the service can be configured for, milliseconds. */
const sendTimeoutMs = 130_000;

const test = defineOperation({
  name: "svc_test_webhook",
  description:
    "Sends a webhook.test event to a webhook, active or not, and answers with its delivery once that has ended.",
  access: write,
  input: record({ webhook_id: webhookId }),
  timeoutMs: sendTimeoutMs,
  async run({ input, origin }, context: AdminContext) {
    const asked = { webhookId: requireWebhookId(input.webhook_id), origin };
    return await send(context, async () => await startTest(context.database, asked, context.startLeaseMs));
  },
});

const list = defineOperation({
  name: "svc_list_deliveries",
  description:
    "Lists a webhook's finished deliveries, newest first. With `state: in_progress` it lists those that wait or are being sent.",
  access: read,
  input: record({
    webhook_id: webhookId,
    success: optional(flag("Only deliveries that ended so.")),
    state: withDefault(oneOf("Which deliveries.", deliveryLists), "finished"),
    ...page,
  }),
  async run({ input }, { database }: AdminContext) {
    const { success, state, limit, cursor = "" } = input;
    if (state === "in_progress" && success !== undefined) throw noOutcomeYet();
    const asked = requireWebhookId(input.webhook_id);
    if (!(await isWebhookVisible(database, asked))) throw webhookNotFound(asked);
    const { items, nextCursor } = await listDeliveries(database, { webhookId: asked, state, success, limit, cursor });
    return { deliveries: items.map(delivery.encode), next_cursor: nextCursor ?? null };
  },
});

const redeliver = defineOperation({
  name: "svc_redeliver",
  description: "Sends a delivery's body once more, as a new delivery, and answers with that once it has ended.",
  access: write,
  input: record({ delivery_id: id("The delivery's id.") }),
  timeoutMs: sendTimeoutMs,
  async run({ input }, context: AdminContext) {
    const { delivery_id: asked } = input;
    // There are more deliveries than rows of other kinds: their ids are as large as JSON carries exactly.
    if (!Number.isSafeInteger(asked) || asked < 1) throw deliveryNotFound(asked);
    return await send(context, async () => await startRedelivery(context.database, asked, context.startLeaseMs));
  },
});

function noOutcomeYet(): GatewayError {
  return new GatewayError("invalid_argument", "success is for finished deliveries; leave out success or state");
}

export const deliveryOperations = [test, list, redeliver] as const;

async function send({ database, places, sendNow }: AdminContext, start: () => Promise<StartedDelivery>) {
  return await places.use(async () => {
    const started = await start();
    await sendNow(started);
    return delivery.encode(await readDelivery(database, Number(started.id)));
  });
}
