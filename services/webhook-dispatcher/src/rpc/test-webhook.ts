import { readOrigin } from "@gatehouse/audit";
import type { TestWebhookRequest, TestWebhookResponse } from "@gatehouse/proto/webhook-dispatcher";
import type { CallContext } from "@gatehouse/rpc";
import { startTest } from "../store/asked-deliveries.ts";
import { readDelivery } from "../store/deliveries.ts";
import type { AdminContext } from "./admin-context.ts";
import { fromDelivery } from "./messages.ts";

/** @throws GatewayError `not_found`, `unavailable`. A receiver that fails is no error: the delivery says so. */
export async function handleTestWebhook(
  { database, places, sendNow, startLeaseMs }: AdminContext,
  { webhookId }: TestWebhookRequest,
  metadata: CallContext["metadata"],
): Promise<TestWebhookResponse> {
  return await places.use(async () => {
    const started = await startTest(database, { webhookId, origin: readOrigin(metadata) }, startLeaseMs);
    await sendNow(started);
    return { delivery: fromDelivery(await readDelivery(database, Number(started.id))) };
  });
}
