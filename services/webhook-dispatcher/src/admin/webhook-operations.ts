import {
  boolean,
  defineCollection,
  defineOperation,
  integer,
  object,
  optional,
  project,
  readProject,
  resourceNotFound,
  rowKey,
  string,
  withDefault,
  writeProject,
} from "@gatehouse/admin";
import { overlapSecondsDefault, overlapSecondsMax, promote, rotate } from "../domain/signing-secret.ts";
import type { Webhook } from "../domain/webhook.ts";
import { findWebhookProject } from "../store/deliveries.ts";
import {
  changeSecrets,
  createWebhook,
  deleteWebhook,
  listWebhooks,
  requireRoom,
  setWebhookActive,
  updateWebhook,
  webhookNotFound,
} from "../store/webhooks.ts";
import type { AdminContext } from "./admin-context.ts";
import { requireKeys, requireWebhook } from "./webhook-reach.ts";
import { webhook } from "./webhook.ts";

/** A webhook by id belongs to its project. */
export const webhookKey = rowKey("Webhook", "webhook_id");

/** The project of a webhook. @throws GatewayError `not_found` */
export async function findProject(id: number, { database }: AdminContext): Promise<string> {
  const found = await findWebhookProject(database, id);
  if (found === undefined) throw webhookNotFound(id);
  return found;
}

const webhooks = defineCollection({
  list: "webhooks",
  key: webhookKey,
  findProject,
  shape: webhook.shape,
  show: (row: Webhook) => webhook.encode(row),
});

const create = defineOperation({
  name: "svc_create_webhook",
  description: "Creates a webhook, active at once. Its signing secret is shown this once.",
  access: writeProject,
  takesIdempotencyKey: true,
  input: object({ project, ...webhook.createInput }),
  output: object({ ...webhook.shape.properties, secret: string() }),
  async prepare(call, { store, checkUrl }: AdminContext) {
    const { input, initiator, planned } = call;
    requireKeys(call, input.events);
    if (initiator.project === null) throw resourceNotFound("Project", input.project);
    await checkUrl(input.url, "url");
    await requireRoom(store, input.project, planned.siblings);
    return initiator.project;
  },
  async run({ input, initiator, prepared: owner }, { store, secrets }: AdminContext) {
    let secret = "";
    const made = await createWebhook(store, {
      project: owner,
      name: input.name,
      url: input.url,
      events: [...new Set(input.events)],
      initiator,
      newRoot: () => secrets.newRoot(owner.uuid),
      newSecrets: (source) => {
        const { plaintext, record: latest } = secrets.newSecret(source, 1);
        secret = plaintext.reveal();
        return { latest, previous: undefined };
      },
    });
    return { ...webhook.encode(made), secret };
  },
});

const list = webhooks.list({
  name: "svc_list_webhooks",
  description: "Lists a project's webhooks, oldest first.",
  access: readProject,
  input: { project },
  find: async ({ input }, page, { store }: AdminContext) => await listWebhooks(store, input.project, page),
});

const update = webhooks.one({
  name: "svc_update_webhook",
  description: "Changes a webhook's name, address or events; what is absent stays.",
  access: writeProject,
  input: webhook.updateInput,
  async prepare(id, call, context: AdminContext) {
    await requireWebhook(id, call, context);
    const { events = [], url } = call.input;
    requireKeys(call, events);
    if (url !== undefined) await context.checkUrl(url, "url");
  },
  async run(id, { input: { events, ...texts }, initiator }, { store }) {
    const changes = { ...texts, ...(events === undefined ? {} : { events: [...new Set(events)] }) };
    return await updateWebhook(store, { id, initiator }, changes);
  },
});

const setActive = webhooks.one({
  name: "svc_set_webhook_active",
  description:
    "Switches a webhook on or off. Nothing is sent to one that is off; what waits for it is recorded as failed.",
  access: writeProject,
  input: { is_active: boolean("Whether events are sent to it.") },
  prepare: requireWebhook,
  run: async (id, { input, initiator }, { store }: AdminContext) =>
    await setWebhookActive(store, { id, initiator }, input.is_active),
});

const rotateSecret = webhooks.about({
  name: "svc_rotate_webhook_secret",
  description: "Creates a new signing secret, shown only once; the old one signs beside it until the overlap ends.",
  access: writeProject,
  takesIdempotencyKey: true,
  input: {
    overlap_seconds: optional(
      integer({
        description:
          "Seconds for which the old secret signs beside the new one; a day if absent. 0 ends it at once, except in a staged rotation.",
        min: 0,
        max: overlapSecondsMax,
      }),
    ),
    staged: withDefault(
      boolean("Whether the old secret's signature stays first until the overlap ends or the rotation is promoted."),
      false,
    ),
    promote: withDefault(
      boolean("Ends a rotation now: the newest secret signs alone. No new secret is made. Not with staged."),
      false,
    ),
  },
  rule({ staged, promote: isPromotion, overlap_seconds: overlapSeconds }) {
    if (staged && isPromotion) return "staged and promote exclude each other";
    return staged && overlapSeconds === 0 ? "overlap_seconds must not be 0 for a staged rotation" : undefined;
  },
  output: object({ ...webhook.shape.properties, secret: optional(string()) }),
  prepare: requireWebhook,
  async run(id, { input, initiator }, { store, secrets }: AdminContext) {
    const { overlap_seconds: overlapSeconds = overlapSecondsDefault, staged, promote: isPromotion } = input;
    const change = { id, initiator };
    const now = new Date();
    let secret = "";
    const changed = await changeSecrets(store, change, (before, source) => {
      if (isPromotion) return { secrets: promote(before, now), overlapSeconds: 0 };
      const { plaintext, record: next } = secrets.newSecret(source, before.latest.version + 1);
      secret = plaintext.reveal();
      return { secrets: rotate(before, { next, overlapSeconds, staged, now }), overlapSeconds };
    });
    return { ...webhook.encode(changed), ...(secret === "" ? {} : { secret }) };
  },
});

const remove = webhooks.remove({
  name: "svc_delete_webhook",
  description: "Deletes a webhook with its secret and its deliveries.",
  access: writeProject,
  prepare: requireWebhook,
  run: async (id, { initiator }, { store }: AdminContext) => await deleteWebhook(store, { id, initiator }),
});

/** Operations on webhooks; a secret is shown only when it is created or rotated. */
export const webhookOperations = [create, list, update, setActive, rotateSecret, remove] as const;
