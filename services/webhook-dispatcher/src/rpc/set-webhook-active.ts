import { readOrigin } from "@gatehouse/audit";
import type { SetWebhookActiveRequest, SetWebhookActiveResponse } from "@gatehouse/proto/webhook-dispatcher";
import type { CallContext } from "@gatehouse/rpc";
import { setWebhookActive } from "../store/webhooks.ts";
import type { AdminContext } from "./admin-context.ts";
import { fromWebhook } from "./messages.ts";

/** @throws GatewayError `not_found` */
export async function handleSetWebhookActive(
  { transact }: AdminContext,
  { webhookId: id, isActive }: SetWebhookActiveRequest,
  metadata: CallContext["metadata"],
): Promise<SetWebhookActiveResponse> {
  return { webhook: fromWebhook(await setWebhookActive(transact, { id, origin: readOrigin(metadata) }, isActive)) };
}
