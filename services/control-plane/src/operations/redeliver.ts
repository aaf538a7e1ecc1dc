import { encodeDelivery } from "../clients/webhook-admin.ts";
import { deliveryDeadlineMs, deliveryId, requireDeliveryId } from "../clients/webhook-arguments.ts";
import { defineOperation } from "./operation.ts";

export const redeliver = defineOperation({
  name: "svc_redeliver",
  description: "Sends a delivery's body once more, as a new delivery, and answers with that once it has ended.",
  arguments: { delivery_id: deliveryId },
  async run({ delivery_id: id }, { webhooks, caller }) {
    const options = { ...caller.optionsFor(null), deadline: deliveryDeadlineMs };
    return encodeDelivery((await webhooks.redeliver({ deliveryId: requireDeliveryId(id) }, options)).delivery);
  },
});
