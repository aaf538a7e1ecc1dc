import {
  array,
  boolean,
  defineResource,
  httpUrl,
  id,
  nullable,
  ofProject,
  oneOf,
  reference,
  shown,
  string,
  writable,
  writableName,
} from "@gatehouse/admin";
import { catalogue, type EventKey } from "@gatehouse/audit";
import { signersAt } from "../domain/signing-secret.ts";
import type { Webhook } from "../domain/webhook.ts";

const nameLengthMax = 200;
const eventsMax = 200;

const moment = (description: string) => string({ description, lengthMax: 30, format: "date-time" });

/** A receiver of events. Its secret is not a field: it is shown only when it is created. */
export const webhook = defineResource({
  id: shown(id("The webhook's id.")),
  project: ofProject,
  name: writableName(string({ description: "A name for people.", lengthMax: nameLengthMax })),
  url: writable(httpUrl("Address that events are sent to, an http or https URL.")),
  events: writable(
    array(oneOf("An event's key.", Object.keys(catalogue) as EventKey[]), {
      description: "The events to send.",
      min: 1,
      max: eventsMax,
      unknownMembers: "Unknown event(s)",
    }),
  ),
  is_active: shown(boolean("Whether events are sent to it.")),
  secret_hint: shown(reference("The last characters of its signing secret."), {
    show: ({ secrets }: Webhook) => secrets.latest.hint,
  }),
  previous_secret_expires_at: shown(
    nullable(moment("Until when the secret before signs as well; null where none does.")),
    {
      show: ({ secrets }: Webhook) =>
        signersAt(secrets, new Date()).second === undefined ? null : secrets.previous?.expiresAt,
    },
  ),
  rotation_staged: shown(boolean("Whether the older secret still signs first."), {
    show: ({ secrets }: Webhook) => signersAt(secrets, new Date()).isStaged,
  }),
  created_at: shown(moment("When it was made.")),
  updated_at: shown(moment("When it was changed last.")),
});
