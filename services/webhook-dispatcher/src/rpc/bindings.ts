import { WebhookAdminServiceDefinition } from "@gatehouse/proto/webhook-dispatcher";
import { bindRpc, type RpcBinding } from "@gatehouse/rpc";
import type { AdminContext } from "./admin-context.ts";
import { handleCreateWebhook } from "./create-webhook.ts";
import { handleDeleteProject } from "./delete-project.ts";
import { handleDeleteWebhook } from "./delete-webhook.ts";
import { handleListDeliveries } from "./list-deliveries.ts";
import { handleListWebhooks } from "./list-webhooks.ts";
import { handleRedeliver } from "./redeliver.ts";
import { handleRotateWebhookSecret } from "./rotate-webhook-secret.ts";
import { handleSetWebhookActive } from "./set-webhook-active.ts";
import { handleTestWebhook } from "./test-webhook.ts";
import { handleUpdateWebhook } from "./update-webhook.ts";

/** Binds every method to its handler. */
export function bindWebhookAdmin(context: AdminContext): RpcBinding<typeof WebhookAdminServiceDefinition> {
  return bindRpc(WebhookAdminServiceDefinition, {
    createWebhook: async (request, { metadata }) => await handleCreateWebhook(context, request, metadata),
    listWebhooks: async (request) => await handleListWebhooks(context, request),
    updateWebhook: async (request, { metadata }) => await handleUpdateWebhook(context, request, metadata),
    setWebhookActive: async (request, { metadata }) => await handleSetWebhookActive(context, request, metadata),
    rotateWebhookSecret: async (request, { metadata }) => await handleRotateWebhookSecret(context, request, metadata),
    deleteWebhook: async (request, { metadata }) => await handleDeleteWebhook(context, request, metadata),
    testWebhook: async (request, { metadata }) => await handleTestWebhook(context, request, metadata),
    listDeliveries: async (request) => await handleListDeliveries(context, request),
    redeliver: async (request) => await handleRedeliver(context, request),
    deleteProject: async (request) => await handleDeleteProject(context, request),
  });
}
