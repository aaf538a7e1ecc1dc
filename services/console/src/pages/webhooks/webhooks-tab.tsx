import { Button, Group, Stack } from "@mantine/core";
import { Link, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useWebhookHealth, useWebhooks } from "../../api/reads.ts";
import type { Webhook, WebhookHealth } from "../../api/types.ts";
import { useMay } from "../../api/use-control-plane.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { formatCount, formatShare } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { OperationDrawer } from "../../parts/operation-drawer.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { RowButton, RowButtons } from "../../parts/row-button.tsx";
import { SecretBox } from "../../parts/secret-box.tsx";
import { useShownSecrets } from "../../parts/shown-secrets.ts";
import { ActiveStatus, Status } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { visibleName } from "../../parts/visible-name.ts";
import { EditWebhook } from "./edit-webhook.tsx";
import { webhookFields } from "./events-field.tsx";
import { SendTestButton, useReaches } from "./webhook-actions.tsx";

type ShownWebhook = Webhook & { readonly secret: string };

/** A project's webhooks. */
export function WebhooksTab() {
  const { project } = useParams({ from: "/projects/$project" });
  const [opened, setOpened] = useState<"create" | Webhook>();
  const { shown, show, confirm } = useShownSecrets<ShownWebhook>();
  const mayEdit = useMay("svc_update_webhook");
  const health = useWebhookHealth(project).data?.webhooks;
  const columns = useMemo(() => columnsWith(mayEdit ? setOpened : undefined, health), [mayEdit, health]);
  const create = useMay("svc_create_webhook") && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setOpened("create")}>
      Create webhook
    </Button>
  );
  return (
    <Stack mt="md">
      <Group justify="flex-end">{create}</Group>
      {shown.map((webhook) => (
        <SecretBox
          key={webhook.id}
          label={`Signing secret of ${webhook.name}`}
          secret={webhook.secret}
          onDone={() => confirm(webhook)}
        />
      ))}
      <QueryView query={useWebhooks(project)}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <EmptyState title="No webhooks yet" command={{ operation: "svc_create_webhook", args: { project } }}>
              A webhook sends signed events of this project to another system. Create one for each receiver.
            </EmptyState>
          ) : (
            <DataTable label="Webhooks" columns={columns} rows={webhooks} rowKey={({ id }) => String(id)} />
          )
        }
      </QueryView>
      {opened !== undefined && (
        <WebhookDrawer opened={opened} project={project} onCreated={show} onClose={() => setOpened(undefined)} />
      )}
    </Stack>
  );
}

interface WebhookDrawerProps {
  readonly opened: "create" | Webhook;
  readonly project: string;
  readonly onCreated: (webhook: ShownWebhook) => void;
  readonly onClose: () => void;
}

function WebhookDrawer({ opened, project, onCreated, onClose }: WebhookDrawerProps) {
  if (opened === "create") {
    return (
      <OperationDrawer
        title="Create webhook"
        operation="svc_create_webhook"
        fixed={{ project }}
        fields={webhookFields}
        submitLabel="Create webhook"
        onDone={(webhook) => {
          onClose();
          onCreated(webhook);
        }}
        onClose={onClose}
      />
    );
  }
  return <EditWebhook webhook={opened} onClose={onClose} />;
}

function columnsWith(
  onEdit: ((webhook: Webhook) => void) | undefined,
  health: readonly WebhookHealth[] | undefined,
): readonly Column<Webhook>[] {
  const healthOf = new Map((health ?? []).map((each) => [each.webhook_id, each]));
  return [
    { id: "name", header: "Name", sort: ({ name }) => name, cell: (webhook) => <WebhookLink webhook={webhook} /> },
    { id: "url", header: "URL", cell: ({ url }) => url },
    { id: "events", header: "Events", cell: ({ events }) => eventsText(events) },
    { id: "state", header: "State", cell: ({ is_active }) => <ActiveStatus isActive={is_active} /> },
    {
      id: "health",
      header: "Succeeded, day",
      cell: ({ id }) => health !== undefined && <Share health={healthOf.get(id)} />,
    },
    { id: "created", header: "Created", sort: (row) => row.created_at, cell: (row) => <Time at={row.created_at} /> },
    {
      id: "actions",
      header: "",
      isEnd: true,
      cell: (webhook) => (
        <RowButtons>
          <SendTestButton webhook={webhook} />
          {onEdit !== undefined && <EditButton webhook={webhook} onEdit={onEdit} />}
        </RowButtons>
      ),
    },
  ];
}

interface EditButtonProps {
  readonly webhook: Webhook;
  readonly onEdit: (webhook: Webhook) => void;
}

function EditButton({ webhook, onEdit }: EditButtonProps) {
  return useReaches()(webhook) && <RowButton onClick={() => onEdit(webhook)}>Edit</RowButton>;
}

function WebhookLink({ webhook: { id, name, project } }: { readonly webhook: Webhook }) {
  return (
    <Link to="/projects/$project/webhooks/$webhook" params={{ project, webhook: String(id) }} className="console-link">
      {visibleName(name)}
    </Link>
  );
}

/** Share of successes among the latest deliveries of the last day, with the result of the last one. */
function Share({ health }: { readonly health: WebhookHealth | undefined }) {
  if (health === undefined) {
    return <span className="console-dimmed">none sent</span>;
  }
  const { succeeded, failed, last_success, last_error } = health;
  const all = succeeded + failed;
  const share = `${formatShare(succeeded / all)} of ${formatCount(all)}`;
  if (last_success) return <Status kind="good">{share}</Status>;
  return (
    <>
      <Status kind="bad">{`${share}, the last failed`}</Status> {last_error}
    </>
  );
}

function eventsText(events: readonly string[]): string {
  const [first = "", ...others] = events;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
