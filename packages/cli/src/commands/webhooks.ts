import type { CommandValue, OperationCommand } from "../command.ts";
import { name, page, project, webhookId } from "./shared.ts";

const events: CommandValue = {
  name: "event",
  kind: "texts",
  argument: "events",
  description: "An event key; repeatable.",
};

export const webhookCommands: readonly OperationCommand[] = [
  {
    path: ["webhook", "create"],
    description: "Creates a webhook and shows its secret, this once.",
    operation: "svc_create_webhook",
    words: [project, name, { name: "url", kind: "text", description: "The receiver's address." }],
    options: [{ ...events, required: true }],
  },
  {
    path: ["webhook", "list"],
    description: "Lists a project's webhooks.",
    operation: "svc_list_webhooks",
    words: [project],
    options: page,
    table: { list: "webhooks", columns: ["id", "name", "url", "events", "is_active"] },
  },
  {
    path: ["webhook", "update"],
    description: "Changes a webhook; what is not named stays.",
    operation: "svc_update_webhook",
    words: [webhookId],
    options: [name, { name: "url", kind: "text", description: "The receiver's address." }, events],
  },
  {
    path: ["webhook", "activate"],
    description: "Switches a webhook on.",
    operation: "svc_set_webhook_active",
    words: [webhookId],
    fixed: { is_active: true },
  },
  {
    path: ["webhook", "deactivate"],
    description: "Switches a webhook off.",
    operation: "svc_set_webhook_active",
    words: [webhookId],
    fixed: { is_active: false },
  },
  {
    path: ["webhook", "rotate-secret"],
    description: "Gives a webhook a new secret and shows it, this once.",
    operation: "svc_rotate_webhook_secret",
    words: [webhookId],
    options: [
      { name: "overlap-seconds", kind: "integer", description: "How long the old one signs as well." },
      { name: "staged", kind: "flag", description: "Leaves the old one in the main header until it is promoted." },
      { name: "promote", kind: "flag", description: "Ends a staged rotation." },
    ],
  },
  { path: ["webhook", "test"], description: "Sends a test event.", operation: "svc_test_webhook", words: [webhookId] },
  {
    path: ["webhook", "delete"],
    description: "Deletes a webhook.",
    operation: "svc_delete_webhook",
    words: [webhookId],
  },
  {
    path: ["delivery", "list"],
    description: "Lists a webhook's finished deliveries, newest first.",
    operation: "svc_list_deliveries",
    words: [webhookId],
    options: [
      { name: "state", kind: "text", description: "finished, or in_progress for those that wait or are being sent." },
      ...page,
    ],
    table: {
      list: "deliveries",
      columns: ["id", "event", "success", "http_status", "duration_ms", "attempted_at", "error"],
    },
  },
  {
    path: ["delivery", "redeliver"],
    description: "Sends a delivery once more.",
    operation: "svc_redeliver",
    words: [{ name: "delivery-id", kind: "integer", description: "The delivery's id." }],
  },
];
