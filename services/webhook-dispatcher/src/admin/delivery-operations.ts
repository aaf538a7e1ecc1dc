import { defineOperation, flag, id, oneOf, optional, page, record, withDefault } from "@gatehouse/admin";
import { catalogue } from "@gatehouse/audit";
import { GatewayError } from "@gatehouse/errors";
import { deliveryLists } from "../domain/delivery.ts";
import { startRedelivery, startTest } from "../store/asked-deliveries.ts";
import {
  deliveryNotFound,
  findDeliveryProject,
  isWebhookVisible,
  listDeliveries,
  readDelivery,
} from "../store/deliveries.ts";
import type { StartedDelivery } from "../store/started-delivery.ts";
import { webhookNotFound } from "../store/webhooks.ts";
import type { AdminContext } from "./admin-context.ts";
import { delivery } from "./delivery.ts";
import { keysForEveryProject } from "../domain/matching.ts";
import { requireDelivery, withinReach } from "./webhook-reach.ts";
import { ofWebhook, requireWebhookId, webhookId } from "./webhook-operations.ts";

const read = { right: "read", scope: "project" } as const;
const write = { right: "write", scope: "project" } as const;

/** Longer than the longest delivery that the service can be configured for, milliseconds. */
const sendTimeoutMs = 130_000;

const test = defineOperation({
  ...ofWebhook,
  name: "svc_test_webhook",
  description:
    "Sends a webhook.test event to a webhook, active or not, and answers with its delivery once that has ended.",
  access: write,
  input: record({ webhook_id: webhookId }),
  timeoutMs: sendTimeoutMs,
  run: withinReach(async ({ input, origin }, context: AdminContext) => {
    const asked = { webhookId: requireWebhookId(input.webhook_id), origin };
    return await send(context, async () => await startTest(context.database, asked, context.startLeaseMs));
  }),
});

const list = defineOperation({
  ...ofWebhook,
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
  run: withinReach(async ({ input, isForNamedProjects }, { database }: AdminContext) => {
    const { success, state, limit, cursor = "" } = input;
    if (state === "in_progress" && success !== undefined) throw noOutcomeYet();
    const asked = requireWebhookId(input.webhook_id);
    if (!(await isWebhookVisible(database, asked))) throw webhookNotFound(asked);
    // The webhook may have subscribed to others before.
    const exceptEvents = isForNamedProjects ? keysForEveryProject(Object.keys(catalogue)) : [];
    const request = { webhookId: asked, state, success, exceptEvents, limit, cursor };
    const { items, nextCursor } = await listDeliveries(database, request);
    return { deliveries: items.map(delivery.encode), next_cursor: nextCursor ?? null };
  }),
});

const redeliver = defineOperation({
  subject: {
    argument: "delivery_id",
    async findProject(given: number, { database }: AdminContext): Promise<string> {
      const found = await findDeliveryProject(database, requireDeliveryId(given));
      if (found === undefined) throw deliveryNotFound(given);
      return found;
    },
  },
  name: "svc_redeliver",
  description: "Sends a delivery's body once more, as a new delivery, and answers with that once it has ended.",
  access: write,
  input: record({ delivery_id: id("The delivery's id.") }),
  timeoutMs: sendTimeoutMs,
  async run(call, context: AdminContext) {
    const asked = requireDeliveryId(call.input.delivery_id);
    await requireDelivery(call, context, asked);
    return await send(context, async () => await startRedelivery(context.database, asked, context.startLeaseMs));
  },
});

/** There are more deliveries than rows of other kinds: their ids are as large as JSON carries exactly. */
function requireDeliveryId(given: number): number {
  if (!Number.isSafeInteger(given) || given < 1) throw deliveryNotFound(given);
  return given;
}

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
