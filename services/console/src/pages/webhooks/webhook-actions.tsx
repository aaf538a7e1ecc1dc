import { Button, Group, Switch } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { Delivery, Webhook } from "../../api/types.ts";
import { useChange, useMay, useSignedIn } from "../../api/use-control-plane.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { notifyFailed } from "../../parts/notify.ts";
import { RowButton } from "../../parts/row-button.tsx";
import { useSwitch } from "../../parts/use-switch.ts";
import { isBeyondReach } from "./event-keys.ts";
import { RotateButton } from "./rotate-button.tsx";

/** Whether the person's role covers a webhook's events, so that an operation which the role has is not refused for it. */
export function useReaches(): (webhook: Webhook) => boolean {
  const { projects } = useSignedIn().session;
  return (webhook) => !isBeyondReach(webhook, projects !== null);
}

/** Sends a `webhook.test` event, and opens its delivery. */
export function SendTestButton({ webhook }: { readonly webhook: Webhook }) {
  const { id, project } = webhook;
  const isReached = useReaches()(webhook);
  const navigate = useNavigate();
  const { mutate, isPending } = useChange("svc_test_webhook");
  if (!useMay("svc_test_webhook") || !isReached) return null;
  const show = ({ uuid }: Delivery) =>
    void navigate({
      to: "/projects/$project/webhooks/$webhook",
      params: { project, webhook: String(id) },
      search: { delivery: uuid },
    });
  return (
    <RowButton
      disabled={isPending}
      aria-busy={isPending}
      onClick={() => mutate({ webhook_id: id }, { onSuccess: show, onError: notifyFailed })}
    >
      Send test
    </RowButton>
  );
}

interface WebhookActionsProps {
  readonly webhook: Webhook;
  /** Called with the new signing secret. */
  readonly onRotated: (secret: string) => void;
  readonly onEdit: () => void;
}

/** Actions on one webhook within the person's reach. */
export function WebhookActions({ webhook, onRotated, onEdit }: WebhookActionsProps) {
  const { id, name, project } = webhook;
  const navigate = useNavigate();
  const remove = useChange("svc_delete_webhook");
  const may = {
    edit: useMay("svc_update_webhook"),
    rotate: useMay("svc_rotate_webhook_secret"),
    remove: useMay("svc_delete_webhook"),
  };
  const confirmRemoval = async () => {
    await remove.mutateAsync({ webhook_id: id });
    await navigate({ to: "/projects/$project/webhooks", params: { project } });
  };
  return (
    <Group gap="xs">
      <ActivitySwitch webhook={webhook} />
      <SendTestButton webhook={webhook} />
      {may.edit && (
        <Button variant="default" onClick={onEdit}>
          Edit
        </Button>
      )}
      {may.rotate && <RotateButton webhook={webhook} onRotated={onRotated} />}
      {may.remove && (
        <ConfirmButton
          label="Delete"
          done={`${name} is deleted.`}
          name={name}
          consequence="It gets no more events, and its delivery log is deleted. This cannot be undone."
          onConfirm={confirmRemoval}
        />
      )}
    </Group>
  );
}

function ActivitySwitch({ webhook: { id, name, is_active } }: { readonly webhook: Webhook }) {
  const { mayChange, isPending, change } = useSwitch({
    operation: "svc_set_webhook_active",
    args: { webhook_id: id },
    flag: "is_active",
    words: { on: `${name} is active: it gets events.`, off: `${name} is inactive: it gets no events.` },
  });
  if (!mayChange) return null;
  return (
    <Switch
      label="Active"
      checked={is_active}
      disabled={isPending}
      onChange={(event) => void change(event.currentTarget.checked)}
    />
  );
}
