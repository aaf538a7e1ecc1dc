import { GatewayError } from "@gatehouse/errors";
import { type Webhook, WebhookAdminServiceDefinition } from "@gatehouse/proto/webhook-dispatcher";
import { bindRpc, type CallContext, type RpcBinding } from "@gatehouse/rpc";
import { type AuditOrigin, readOrigin } from "@gatehouse/audit";

/** The webhook dispatcher's administration in memory: it sends nothing. */
export interface FakeWebhooks {
  readonly binding: RpcBinding<typeof WebhookAdminServiceDefinition>;
  /** Who asked for each change. */
  readonly origins: AuditOrigin[];
}

const at = new Date("2026-11-21T08:00:00.000Z");

export function createFakeWebhooks(): FakeWebhooks {
  const webhooks = new Map<number, Webhook>();
  const origins: AuditOrigin[] = [];
  const change = (id: number, { metadata }: CallContext, changes: Partial<Webhook> = {}) => {
    const webhook = webhooks.get(id);
    if (webhook === undefined) throw new GatewayError("not_found", `Webhook not found: ${id}`);
    origins.push(readOrigin(metadata));
    const changed = { ...webhook, ...changes };
    webhooks.set(id, changed);
    return Promise.resolve({ webhook: changed });
  };
  const binding = bindRpc(WebhookAdminServiceDefinition, {
    async createWebhook({ projectUuid, name, url, events }, context) {
      const unknown = events.filter((event) => !event.includes("."));
      if (unknown.length > 0) throw new GatewayError("invalid_argument", `Unknown event(s): ${unknown.length}`);
      const id = webhooks.size + 1;
      webhooks.set(id, newWebhook({ id, projectUuid, name, url, events }));
      return { ...(await change(id, context)), secret: "whsec_new" };
    },
    async listWebhooks({ projectUuid }) {
      const owned = [...webhooks.values()].filter((webhook) => webhook.projectUuid === projectUuid);
      return await Promise.resolve({ webhooks: owned, nextCursor: "" });
    },
    updateWebhook: async ({ webhookId, name, url, events }, context) =>
      await change(webhookId, context, {
        ...(name === undefined ? {} : { name }),
        ...(url === undefined ? {} : { url }),
        ...(events.length === 0 ? {} : { events }),
      }),
    setWebhookActive: async ({ webhookId, isActive }, context) => await change(webhookId, context, { isActive }),
    async rotateWebhookSecret({ webhookId, overlapSeconds, staged, promote }, context) {
      const previousSecretExpiresAt = promote || overlapSeconds === 0 ? undefined : at;
      const { webhook } = await change(webhookId, context, { previousSecretExpiresAt, isStaged: staged });
      return { webhook, secret: promote ? "" : "whsec_rotated" };
    },
    async deleteWebhook({ webhookId }, context) {
      const deleted = await change(webhookId, context);
      webhooks.delete(webhookId);
      return deleted;
    },
    async testWebhook({ webhookId }, context) {
      await change(webhookId, context);
      return { delivery: { ...delivery, id: 2, webhookId, event: "webhook.test" } };
    },
    async listDeliveries({ webhookId }) {
      if (!webhooks.has(webhookId)) throw new GatewayError("not_found", `Webhook not found: ${webhookId}`);
      return await Promise.resolve({ deliveries: [{ ...delivery, id: 1, webhookId }], nextCursor: "next" });
    },
    async redeliver({ deliveryId }) {
      if (deliveryId !== 1) throw new GatewayError("not_found", `Delivery not found: ${deliveryId}`);
      return await Promise.resolve({ delivery: { ...delivery, id: 3, webhookId: 1, redeliveryOf: 1 } });
    },
    deleteProject: async () => await Promise.resolve({}),
  });
  return { binding, origins };
}

function newWebhook(given: Pick<Webhook, "id" | "projectUuid" | "name" | "url" | "events">): Webhook {
  return {
    ...given,
    isActive: true,
    secretHint: "wxyz",
    previousSecretExpiresAt: undefined,
    isStaged: false,
    createdAt: at,
    updatedAt: at,
  };
}

const delivery = {
  uuid: "3d5c7e2a-7c4f-4d0e-9f0b-4a1d7f6f2b11",
  event: "token.revoked",
  success: false,
  httpStatus: 500,
  requestBody: "{}",
  requestBodyTruncated: false,
  responseBody: "no",
  responseBodyTruncated: true,
  error: "The receiver answered 500.",
  attemptedAt: at,
  durationMs: 12,
  state: "done",
  timingJson: '{"queue":3}',
};
