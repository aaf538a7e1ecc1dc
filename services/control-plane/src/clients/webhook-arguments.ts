import { catalogue } from "@gatehouse/audit";
import { GatewayError } from "@gatehouse/errors";
import {
  type Argument,
  argument,
  flag,
  idReference,
  integer,
  list,
  optional,
  text,
  withDefault,
} from "../domain/arguments.ts";
import { isRowId } from "../domain/row-id.ts";

const nameLengthMax = 200;
const urlLengthMax = 2_048;
const eventsMax = 200;
const eventLengthMax = 100;
const overlapSecondsMax = 604_800;

const urlText = text({ description: "Where events are sent: an http or https URL.", lengthMax: urlLengthMax });

/** The dispatcher checks it with the guard that its deliveries pass. */
const url: Argument<string> = argument({ ...urlText.schema, format: "uri" }, (value, field) =>
  urlText.read(value, field),
);

const eventText = text({ description: "An event's key.", lengthMax: eventLengthMax });

/** Shown to clients with the keys that there are; the dispatcher refuses the others, naming them all. */
const event: Argument<string> = argument({ ...eventText.schema, enum: Object.keys(catalogue) }, (value, field) =>
  eventText.read(value, field),
);

const events = list(event, { description: "The events to send.", min: 1, max: eventsMax });
const name = text({ description: "A name for people.", lengthMax: nameLengthMax });

export const webhookId = idReference("The webhook's id.");

export const newWebhookArguments = { name, url, events };

/** What is absent stays. */
export const webhookChangeArguments = { name: optional(name), url: optional(url), events: optional(events) };

export const rotationArguments = {
  overlap_seconds: optional(
    integer({
      description: "How long the old secret signs beside the new one; a day when absent, 0 ends it at once.",
      min: 0,
      max: overlapSecondsMax,
    }),
  ),
  staged: withDefault(
    flag("Whether the old secret goes on signing first until the overlap ends or the rotation is promoted."),
    false,
  ),
  promote: withDefault(flag("Ends a rotation now: the newest secret signs alone. No new secret is made."), false),
};

export const deliverySuccess = optional(flag("Only deliveries that ended so."));

/** An integer of any size that JSON carries exactly: there are more deliveries than rows of other kinds. */
export const deliveryId = idReference("The delivery's id.");

/** Longer than the longest delivery that the dispatcher can be configured for, milliseconds. */
export const deliveryDeadlineMs = 130_000;

/** @throws `Webhook not found: <id>` for a number that is no row's id. */
export function requireWebhookId(id: number): number {
  if (isRowId(id)) return id;
  throw new GatewayError("not_found", `Webhook not found: ${id}`);
}

/** @throws `Delivery not found: <id>` for a number that is no row's id. */
export function requireDeliveryId(id: number): number {
  if (Number.isSafeInteger(id) && id >= 1) return id;
  throw new GatewayError("not_found", `Delivery not found: ${id}`);
}
