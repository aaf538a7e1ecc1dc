import { useNewest } from "../../api/conflict.ts";
import { useWebhooks } from "../../api/reads.ts";
import type { Webhook } from "../../api/types.ts";
import { notifyDone } from "../../parts/notify.ts";
import { OperationDrawer } from "../../parts/operation-drawer.tsx";
import { webhookFields } from "./events-field.tsx";

interface EditWebhookProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** The name, the address and the events of a webhook, as a form at the side. */
export function EditWebhook({ webhook, onClose }: EditWebhookProps) {
  const { id, name, project } = webhook;
  const newest = useNewest(webhook, useWebhooks(project), (data) => data.webhooks.find((row) => row.id === id));
  return (
    <OperationDrawer
      title={`Edit ${name}`}
      operation="svc_update_webhook"
      fixed={{ webhook_id: id }}
      fields={webhookFields}
      submitLabel="Save"
      onDone={() => {
        onClose();
        notifyDone("The webhook is saved.");
      }}
      onClose={onClose}
      {...newest}
    />
  );
}
