import {
  boolean,
  defineResource,
  id,
  nullable,
  number,
  oneOf,
  record,
  reference,
  shown,
  string,
} from "@gatehouse/admin";
import { type Delivery, deliveryStates } from "../domain/delivery.ts";

/** Delivery in results: bodies cut at 64 KiB, and no response header that may be secret. */
export const delivery = defineResource({
  id: shown(id("The delivery's id.")),
  uuid: shown(reference("As in the X-Service-Delivery header.")),
  message_uuid: shown(
    reference("As in the webhook-id header: the uuid of the first delivery, which those that repeat it keep."),
  ),
  webhook_id: shown(id("The webhook's id.")),
  event: shown(reference("The event's key.")),
  state: shown(oneOf("State of the delivery.", deliveryStates)),
  success: shown(
    nullable(
      boolean(
        "Whether the receiver took it: always true or false, except in the list of deliveries in progress, where it is null.",
      ),
    ),
  ),
  http_status: shown(nullable(id("The receiver's status."))),
  request_body: shown(reference("The body as sent, cut at 64 KiB.")),
  request_body_truncated: shown(boolean("Whether it was cut."), { column: "requestTruncated" }),
  response_headers: shown(
    nullable(
      reference(
        "Headers of the receiver's reply by lowercase name: the first 50, values cut at 500 characters, none that may be secret.",
      ),
    ),
    { shownAs: nullable(record(string())) },
  ),
  response_body: shown(nullable(reference("The receiver's reply, cut at 64 KiB."))),
  response_body_truncated: shown(boolean("Whether it was cut."), { column: "responseTruncated" }),
  error: shown(nullable(reference("Why it failed."))),
  attempted_at: shown(reference("When it was sent, or made.")),
  duration_ms: shown(nullable(id("Duration."))),
  timing: shown(nullable(reference("Milliseconds by stage.")), {
    show: ({ timing }: Delivery) => (timing === "" ? null : (JSON.parse(timing) as unknown)),
    shownAs: nullable(record(number())),
  }),
  redelivery_of: shown(nullable(id("The first delivery, which it repeats; null for a first one."))),
});
