import { Group, Paper, SegmentedControl, Stack, Title } from "@mantine/core";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useDeliveries, useWebhooks } from "../../api/reads.ts";
import type { Webhook } from "../../api/types.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Pager } from "../../parts/pager.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { SecretBox } from "../../parts/secret-box.tsx";
import { DeliveryList } from "./delivery-list.tsx";
import { WebhookActions } from "./webhook-actions.tsx";

const from = "/projects/$project/webhooks/$webhook";

/** One webhook, with its delivery log. */
export function WebhookPage() {
  const { project, webhook: id } = useParams({ from });
  return (
    <Stack mt="md">
      <QueryView query={useWebhooks(project)}>
        {({ webhooks }) => {
          const webhook = webhooks.find((candidate) => String(candidate.id) === id);
          if (webhook !== undefined) return <WebhookView webhook={webhook} />;
          return <EmptyState title="There is no such webhook">It may have been deleted.</EmptyState>;
        }}
      </QueryView>
    </Stack>
  );
}

function WebhookView({ webhook }: { readonly webhook: Webhook }) {
  const [secret, setSecret] = useState<string>();
  const { name, url, events, secret_hint } = webhook;
  return (
    <>
      <Paper className="console-panel" p="md">
        <Group justify="space-between" align="flex-start" mb="sm">
          <Title order={2}>{name}</Title>
          <WebhookActions webhook={webhook} onRotated={setSecret} />
        </Group>
        <Facts
          facts={[
            ["Sends to", url],
            ["Events", events.join(", ")],
            ["Secret", `ends with ${secret_hint}`],
          ]}
        />
      </Paper>
      {secret !== undefined && (
        <SecretBox label={`New signing secret of ${name}`} secret={secret} onDone={() => setSecret(undefined)} />
      )}
      <Deliveries webhook={webhook} />
    </>
  );
}

const outcomes = [
  { value: "", label: "All" },
  { value: "true", label: "Succeeded" },
  { value: "false", label: "Failed" },
];

function Deliveries({ webhook: { id } }: { readonly webhook: Webhook }) {
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  const { success, cursor } = search;
  const query = useDeliveries({
    webhook_id: id,
    ...(success !== undefined && { success }),
    ...(cursor !== undefined && { cursor }),
  });
  const filter = (value: string) =>
    void navigate({ search: value === "" ? {} : { success: value === "true" }, replace: true });
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2}>Deliveries</Title>
        <SegmentedControl
          size="xs"
          data={outcomes}
          value={success === undefined ? "" : String(success)}
          onChange={filter}
          aria-label="Outcome"
        />
      </Group>
      <QueryView query={query}>
        {({ deliveries, next_cursor }) => (
          <>
            <DeliveryList
              deliveries={deliveries}
              selected={search.delivery}
              onSelect={(delivery) => void navigate({ search: { ...search, delivery } })}
            />
            <Pager
              next={next_cursor}
              cursor={cursor}
              onMove={(next) =>
                void navigate({ search: { ...(success !== undefined && { success }), ...(next && { cursor: next }) } })
              }
            />
          </>
        )}
      </QueryView>
    </Stack>
  );
}
