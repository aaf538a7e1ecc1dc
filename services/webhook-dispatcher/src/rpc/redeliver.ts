import type { RedeliverRequest, RedeliverResponse } from "@gatehouse/proto/webhook-dispatcher";
import { startRedelivery } from "../store/asked-deliveries.ts";
import { readDelivery } from "../store/deliveries.ts";
import type { AdminContext } from "./admin-context.ts";
import { fromDelivery } from "./messages.ts";

/** @throws GatewayError `not_found`, `unavailable`; `invalid_argument` while the delivery has not ended. */
export async function handleRedeliver(
  { database, places, sendNow, startLeaseMs }: AdminContext,
  { deliveryId }: RedeliverRequest,
): Promise<RedeliverResponse> {
  return await places.use(async () => {
    const started = await startRedelivery(database, deliveryId, startLeaseMs);
    await sendNow(started);
    return { delivery: fromDelivery(await readDelivery(database, Number(started.id))) };
  });
}
