import { Group, NativeSelect, Paper, SegmentedControl, Stack, Text, Title } from "@mantine/core";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useDeliveries, useProject, useWebhooks } from "../../api/reads.ts";
import type { DeliverySearch } from "../../api/search.ts";
import type { Webhook } from "../../api/types.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Facts } from "../../parts/facts.tsx";
import { SpanFilter, useSince } from "../../parts/filter-bar.tsx";
import { Pager } from "../../parts/pager.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { SecretBox } from "../../parts/secret-box.tsx";
import { Time } from "../../parts/time.tsx";
import { useWindowTitle } from "../../parts/use-window-title.ts";
import { visibleName } from "../../parts/visible-name.ts";
import { DeliveryList } from "./delivery-list.tsx";
import { EditWebhook } from "./edit-webhook.tsx";
import { ReceiverGuide } from "./receiver-guide.tsx";
import { useReaches, WebhookActions } from "./webhook-actions.tsx";

const from = "/projects/$project/webhooks/$webhook";

/** One webhook, with its delivery log. */
export function WebhookPage() {
  const { project, webhook: id } = useParams({ from });
  // The form stays when another person deletes the webhook, so that input and refusal can be read.
  const [edited, setEdited] = useState<Webhook>();
  return (
    <Stack mt="md">
      <QueryView query={useWebhooks(project)}>
        {({ webhooks }) => {
          const webhook = webhooks.find((candidate) => String(candidate.id) === id);
          if (webhook !== undefined) return <WebhookView webhook={webhook} onEdit={() => setEdited(webhook)} />;
          return (
            <EmptyState title="Webhook not found">It may have been deleted. The others are under Webhooks.</EmptyState>
          );
        }}
      </QueryView>
      {edited !== undefined && <EditWebhook webhook={edited} onClose={() => setEdited(undefined)} />}
    </Stack>
  );
}

interface WebhookViewProps {
  readonly webhook: Webhook;
  readonly onEdit: () => void;
}

function WebhookView({ webhook, onEdit }: WebhookViewProps) {
  const [secret, setSecret] = useState<string>();
  const isReached = useReaches()(webhook);
  const { name, url, events, secret_hint, previous_secret_expires_at, rotation_staged } = webhook;
  useWindowTitle(name, "Webhooks", useProject(webhook.project).data?.name ?? "");
  return (
    <>
      <Paper className="console-panel" p="md">
        <Group justify="space-between" align="flex-start" mb="sm">
          <Title order={2}>{visibleName(name)}</Title>
          {isReached && <WebhookActions webhook={webhook} onRotated={setSecret} onEdit={onEdit} />}
        </Group>
        <Facts
          facts={[
            ["URL", url],
            ["Events", events.join(", ")],
            ["Secret", `ends with ${secret_hint}`],
            ...(previous_secret_expires_at === null
              ? []
              : [
                  [
                    "Rotation",
                    <Group key="rotation" gap="xs">
                      {rotation_staged ? "staged: the older secret signs first" : "the older secret signs as well"},
                      until <Time at={previous_secret_expires_at} />
                    </Group>,
                  ] as const,
                ]),
          ]}
        />
      </Paper>
      {secret !== undefined && (
        <SecretBox label={`New signing secret of ${name}`} secret={secret} onDone={() => setSecret(undefined)} />
      )}
      {isReached ? <Deliveries webhook={webhook} /> : <BeyondReach />}
      <Title order={2}>Receiver example</Title>
      <ReceiverGuide />
    </>
  );
}

function BeyondReach() {
  return (
    <Text size="sm">
      This webhook gets events of the whole gateway. Changes of it, and its deliveries, need a role for the whole
      gateway.
    </Text>
  );
}

/** Placeholder lines: a delivery is about as long as a screen. */
const deliveryLines = 24;

const outcomes = [
  { value: "", label: "All" },
  { value: "true", label: "Succeeded" },
  { value: "false", label: "Failed" },
];

/** The events to choose from, and the chosen one. Addresses may name any text; the gateway refuses what is no event. */
function toEventFilter(events: Webhook["events"], named: string | undefined) {
  const choices = ["webhook.test", ...events] as const;
  return { choices, event: choices.find((key) => key === named) };
}

function Deliveries({ webhook: { id, events } }: { readonly webhook: Webhook }) {
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  const { success, hours, cursor } = search;
  const { choices, event } = toEventFilter(events, search.event);
  const since = useSince(hours);
  const filters = { ...(success !== undefined && { success }), ...(event !== undefined && { event }) };
  const kept = { ...filters, ...(hours !== undefined && { hours }) };
  const query = useDeliveries({
    webhook_id: id,
    ...filters,
    ...(since !== undefined && { since }),
    ...(cursor !== undefined && { cursor }),
  });
  const filter = (change: { readonly [Name in keyof DeliverySearch]: DeliverySearch[Name] | undefined }) => {
    const next = Object.entries({ ...kept, ...change }).filter(([, value]) => value !== undefined);
    void navigate({ search: Object.fromEntries(next), replace: true });
  };
  return (
    <Stack gap="xs">
      <Group justify="space-between" align="flex-end">
        <Title order={2}>Deliveries</Title>
        <Group gap="sm" align="flex-end">
          <SpanFilter hours={hours} onChange={(next) => filter({ hours: next })} />
          <NativeSelect
            label="Event"
            data={[{ value: "", label: "All events" }, ...choices]}
            value={event ?? ""}
            onChange={({ currentTarget: { value } }) => filter({ event: value === "" ? undefined : value })}
          />
          <SegmentedControl
            size="xs"
            data={outcomes}
            value={success === undefined ? "" : String(success)}
            onChange={(value) => filter({ success: value === "" ? undefined : value === "true" })}
            aria-label="Outcome"
          />
        </Group>
      </Group>
      <QueryView query={query} lines={deliveryLines}>
        {({ deliveries, next_cursor }) => (
          <>
            <DeliveryList
              webhookId={id}
              deliveries={deliveries}
              selected={search.delivery}
              isReading={query.isFetching}
              onSelect={(delivery) => void navigate({ search: { ...search, delivery } })}
            />
            <Pager
              next={next_cursor}
              cursor={cursor}
              onMove={(next) => void navigate({ search: { ...kept, ...(next !== undefined && { cursor: next }) } })}
            />
          </>
        )}
      </QueryView>
    </Stack>
  );
}
