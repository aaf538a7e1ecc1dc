import { readOrigin } from "@gatehouse/audit";
import type { UpdateWebhookRequest, UpdateWebhookResponse } from "@gatehouse/proto/webhook-dispatcher";
import type { CallContext } from "@gatehouse/rpc";
import { checkEvents, checkName } from "../domain/webhook-fields.ts";
import { updateWebhook } from "../store/webhooks.ts";
import type { AdminContext } from "./admin-context.ts";
import { fromWebhook } from "./messages.ts";

/** @throws GatewayError `invalid_argument` naming the field, `not_found` */
export async function handleUpdateWebhook(
  { transact, checkUrl }: AdminContext,
  { webhookId: id, name, url, events }: UpdateWebhookRequest,
  metadata: CallContext["metadata"],
): Promise<UpdateWebhookResponse> {
  const changes = {
    ...(name === undefined ? {} : { name: checkName(name) }),
    ...(url === undefined ? {} : { url }),
    ...(events.length === 0 ? {} : { events: checkEvents(events) }),
  };
  if (url !== undefined) await checkUrl(url);
  return { webhook: fromWebhook(await updateWebhook(transact, { id, origin: readOrigin(metadata) }, changes)) };
}
