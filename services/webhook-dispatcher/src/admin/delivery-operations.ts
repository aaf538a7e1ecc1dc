import {
  boolean,
  defineCollection,
  encodePage,
  id,
  oneOf,
  optional,
  page,
  pageOf,
  readProject,
  timestamp,
  toDate,
  withDefault,
  writeProject,
} from "@gatehouse/admin";
import { catalogue, type EventKey } from "@gatehouse/audit";
import { GatewayError } from "@gatehouse/errors";
import { type Delivery, deliveryLists } from "../domain/delivery.ts";
import { keysForEveryProject } from "../domain/matching.ts";
import { startRedelivery, startTest } from "../store/deliveries-by-hand.ts";
import {
  deliveryNotFound,
  findDeliveryProject,
  isWebhookVisible,
  listDeliveries,
  readDelivery,
} from "../store/deliveries.ts";
import type { StartedDelivery } from "../store/started-delivery.ts";
import { webhookNotFound } from "../store/webhooks.ts";
import { type AdminContext, sentByHandMax } from "./admin-context.ts";
import { delivery } from "./delivery.ts";
import { findProject, webhookKey } from "./webhook-operations.ts";
import { requireDelivery, requireWebhook } from "./webhook-reach.ts";

/** Longer than the longest configurable delivery, milliseconds. */
const sendTimeoutMs = 130_000;

const ofWebhook = defineCollection({
  list: "deliveries",
  key: webhookKey,
  findProject,
  shape: delivery.shape,
  show: (row: Delivery) => delivery.encode(row),
});

const deliveries = defineCollection({
  list: "deliveries",
  key: {
    argument: "delivery_id",
    schema: id("The delivery's id."),
    // Ids may reach the largest integer that JSON carries exactly, since deliveries are more numerous than other rows.
    read(given: number) {
      if (!Number.isSafeInteger(given) || given < 1) throw deliveryNotFound(given);
      return given;
    },
  },
  async findProject(asked, { database }: AdminContext): Promise<string> {
    const found = await findDeliveryProject(database, asked);
    if (found === undefined) throw deliveryNotFound(asked);
    return found;
  },
  shape: delivery.shape,
  show: (row: Delivery) => delivery.encode(row),
});

const test = ofWebhook.one({
  name: "svc_test_webhook",
  description:
    "Sends a webhook.test event to a webhook, active or not, and answers with its delivery once that has ended.",
  access: writeProject,
  timeoutMs: sendTimeoutMs,
  prepare: requireWebhook,
  async run(webhookId, { initiator }, context: AdminContext) {
    const asked = { webhookId, initiator };
    return await send(context, async () => await startTest(context.database, asked, context.startLeaseMs));
  },
});

const list = ofWebhook.about({
  name: "svc_list_deliveries",
  description:
    "Lists a webhook's finished deliveries, newest first; with `state: in_progress`, deliveries that wait or are being sent.",
  access: readProject,
  input: {
    success: optional(boolean("Only successful or only failed deliveries. Not with state in_progress.")),
    state: withDefault(oneOf("Which deliveries.", deliveryLists), "finished"),
    event: optional(oneOf("Only deliveries of this event.", Object.keys(catalogue) as EventKey[])),
    since: optional(timestamp("Only deliveries sent from this moment on.")),
    until: optional(timestamp("Only deliveries sent before this moment.")),
    ...page,
  },
  rule: ({ state, success }) =>
    state === "in_progress" && success !== undefined
      ? "success is for finished deliveries; leave out success or state"
      : undefined,
  output: pageOf("deliveries", delivery.shape),
  prepare: requireWebhook,
  async run(webhookId, { input, isForNamedProjects }, { database }: AdminContext) {
    const { success, state, event, since, until, limit, cursor = "" } = input;
    if (!(await isWebhookVisible(database, webhookId))) throw webhookNotFound(webhookId);
    // The webhook may have subscribed to other events before.
    const exceptEvents = isForNamedProjects ? keysForEveryProject(Object.keys(catalogue)) : [];
    const moment = (given: string | undefined) => (given === undefined ? undefined : toDate(given));
    const range = { since: moment(since), until: moment(until) };
    const request = { webhookId, state, success, event, ...range, exceptEvents, limit, cursor };
    return encodePage("deliveries", await listDeliveries(database, request), delivery.encode);
  },
});

const redeliver = deliveries.one({
  name: "svc_redeliver",
  description: "Sends a delivery's body once more, as a new delivery, and answers with that once it has ended.",
  access: writeProject,
  timeoutMs: sendTimeoutMs,
  async run(asked, call, context: AdminContext) {
    await requireDelivery(call, context, asked);
    return await send(context, async () => await startRedelivery(context.database, asked, context.startLeaseMs));
  },
});

/** Operations on deliveries. A test and a repetition are sent at once, past the queues, and answered when they have ended. */
export const deliveryOperations = [test, list, redeliver] as const;

async function send({ database, sentByHand, sendNow }: AdminContext, start: () => Promise<StartedDelivery>) {
  const release = sentByHand.tryAcquire();
  if (release === undefined) {
    const problem = `${sentByHandMax} tests and repeated deliveries are in progress, the most at a time. Try again shortly.`;
    throw new GatewayError("unavailable", problem, { retryAfterSeconds: 1 });
  }
  try {
    const started = await start();
    await sendNow(started);
    return await readDelivery(database, Number(started.id));
  } finally {
    release();
  }
}
