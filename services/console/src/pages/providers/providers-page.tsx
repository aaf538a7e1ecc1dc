import { Button, Stack } from "@mantine/core";
import { useMemo, useState } from "react";
import { useNewest } from "../../api/conflict.ts";
import { useProviders } from "../../api/reads.ts";
import type { Provider, ProviderHealth } from "../../api/types.ts";
import { useMay, useRead } from "../../api/use-control-plane.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { formatDuration, formatShare } from "../../parts/format.ts";
import { HistoryButton } from "../../parts/history-button.tsx";
import { Icon } from "../../parts/icon.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { type Opened, ResourceDrawer } from "../../parts/resource-drawer.tsx";
import { RowActions } from "../../parts/row-actions.tsx";
import { Status } from "../../parts/status.tsx";
import { Credentials } from "./credentials.tsx";
import { EnabledSwitch } from "./enabled-switch.tsx";
import { ModelTable } from "./model-table.tsx";
import { type SumsByName, useSumsBy } from "./use-sums-by.ts";

const healthEveryMs = 5_000;

/** Model providers with their circuit breakers and credentials. */
export function ProvidersPage() {
  const [opened, setOpened] = useState<Opened<Provider>>();
  const close = () => setOpened(undefined);
  const mayReadHealth = useMay("svc_get_provider_health");
  const { data: health } = useRead(
    "svc_get_provider_health",
    {},
    { enabled: mayReadHealth, refetchIntervalMs: healthEveryMs },
  );
  const sums = useSumsBy("provider");
  const columns = useMemo(() => columnsWith(health?.providers ?? [], sums, setOpened), [health, sums]);
  const create = useMay("svc_create_provider") && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setOpened("create")}>
      Add provider
    </Button>
  );
  return (
    <Stack>
      <PageHeader title="Providers" description="Where endpoints send their calls." actions={create} />
      <QueryView query={useProviders()}>
        {({ providers }) =>
          providers.length === 0 ? (
            <EmptyState title="No providers yet" command={{ operation: "svc_create_provider" }}>
              Add one, with a credential, before the first endpoint.
            </EmptyState>
          ) : (
            <DataTable label="Providers" columns={columns} rows={providers} rowKey={({ id }) => String(id)} />
          )
        }
      </QueryView>
      <Credentials health={health?.providers} />
      <ModelTable />
      {opened === "create" && <ResourceDrawer {...drawer} edited={undefined} onClose={close} />}
      {typeof opened === "object" && <EditDrawer provider={opened} onClose={close} />}
    </Stack>
  );
}

const drawer = { noun: "provider", create: "svc_create_provider" } as const;

function EditDrawer({ provider, onClose }: { readonly provider: Provider; readonly onClose: () => void }) {
  const { id, name } = provider;
  const newest = useNewest(provider, useProviders(), (data) => data.providers.find((row) => row.id === id));
  const edited = { name, operation: "svc_update_provider", fixed: { provider: name }, ...newest } as const;
  return <ResourceDrawer {...drawer} edited={edited} onClose={onClose} />;
}

function columnsWith(
  health: readonly ProviderHealth[],
  sums: SumsByName,
  onEdit: (provider: Provider) => void,
): readonly Column<Provider>[] {
  return [
    { id: "name", header: "Name", sort: ({ name }) => name, cell: ({ name }) => name },
    { id: "kind", header: "Kind", sort: ({ kind }) => kind, cell: ({ kind }) => kind },
    {
      id: "url",
      header: "Address",
      cell: ({ kind, base_url }) => base_url ?? (kind === "mock" ? "built in" : "default"),
    },
    {
      id: "health",
      header: "Health",
      cell: ({ name }) => <Health states={health.filter(({ provider }) => provider === name)} />,
    },
    { id: "errors", header: "Errors, day", isEnd: true, cell: ({ name }) => errorShare(sums, name) },
    { id: "p95", header: "p95, day", isEnd: true, cell: ({ name }) => p95(sums, name) },
    { id: "enabled", header: "Enabled", cell: (provider) => <EnabledSwitch provider={provider} /> },
    { id: "actions", header: "", isEnd: true, cell: (row) => <Actions provider={row} onEdit={() => onEdit(row)} /> },
  ];
}

function errorShare(sums: SumsByName, name: string): string {
  const sum = sums.get(name);
  return sum === undefined ? "" : formatShare(sum.errors / sum.requests);
}

function p95(sums: SumsByName, name: string): string {
  const sum = sums.get(name);
  return sum === undefined ? "" : formatDuration(sum.p95_ms);
}

function Health({ states }: { readonly states: readonly ProviderHealth[] }) {
  const open = states.find(({ state }) => state !== "closed");
  if (states.length === 0) return <Status kind="off">Unknown</Status>;
  if (open === undefined) return <Answers states={states} />;
  return <Status kind="bad">{`${open.credential ?? "All calls"}: ${open.last_failure ?? open.state}`}</Status>;
}

/** A closed breaker does not prove an answer: it starts closed. */
function Answers({ states }: { readonly states: readonly ProviderHealth[] }) {
  if (states.some(({ last_success_at }) => last_success_at !== null)) return <Status kind="good">Healthy</Status>;
  const [failure] = states.flatMap(({ last_failure }) => (last_failure === null ? [] : [last_failure]));
  return failure === undefined ? <Status kind="off">No calls yet</Status> : <Status kind="warning">{failure}</Status>;
}

function Actions({ provider: { name }, onEdit }: { readonly provider: Provider; readonly onEdit: () => void }) {
  return (
    <RowActions
      resource="provider"
      done={`${name} is deleted.`}
      args={{ provider: name }}
      name={name}
      onEdit={onEdit}
      consequence="Its credentials are deleted with it. A provider that endpoints use cannot be deleted."
    >
      <HistoryButton name={name} kind="provider" />
    </RowActions>
  );
}
