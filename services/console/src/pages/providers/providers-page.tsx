import { Button, Group, Stack } from "@mantine/core";
import { useMemo, useState } from "react";
import { useProviders } from "../../api/reads.ts";
import type { Provider, ProviderHealth } from "../../api/types.ts";
import { useChange, useMay, useRead } from "../../api/use-control-plane.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Icon } from "../../parts/icon.tsx";
import { notifyDone } from "../../parts/notify.ts";
import { OperationDrawer } from "../../parts/operation-drawer.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { Status } from "../../parts/status.tsx";
import { Credentials } from "./credentials.tsx";
import { EnabledSwitch } from "./enabled-switch.tsx";

const healthEveryMs = 5_000;

/** Model providers with the state of their breakers, and their credentials. */
export function ProvidersPage() {
  const [opened, setOpened] = useState<"create" | Provider>();
  const mayReadHealth = useMay("svc_get_provider_health");
  const { data: health } = useRead<{ readonly providers: readonly ProviderHealth[] }>(
    "svc_get_provider_health",
    {},
    { enabled: mayReadHealth, refetchIntervalMs: healthEveryMs },
  );
  const columns = useMemo(() => columnsWith(health?.providers ?? [], setOpened), [health]);
  const create = useMay("svc_create_provider") && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setOpened("create")}>
      Add provider
    </Button>
  );
  return (
    <Stack>
      <PageHeader title="Providers" description="Whom endpoints send their calls to." actions={create} />
      <QueryView query={useProviders()}>
        {({ providers }) =>
          providers.length === 0 ? (
            <EmptyState title="No providers yet">Add one, with a credential, before the first endpoint.</EmptyState>
          ) : (
            <DataTable label="Providers" columns={columns} rows={providers} rowKey={({ id }) => String(id)} />
          )
        }
      </QueryView>
      <Credentials />
      {opened !== undefined && <ProviderDrawer opened={opened} onClose={() => setOpened(undefined)} />}
    </Stack>
  );
}

interface ProviderDrawerProps {
  readonly opened: "create" | Provider;
  readonly onClose: () => void;
}

function ProviderDrawer({ opened, onClose }: ProviderDrawerProps) {
  const onDone = () => {
    onClose();
    notifyDone("The provider is saved.");
  };
  if (opened === "create") {
    const texts = { title: "Add provider", operation: "svc_create_provider", submitLabel: "Add provider" };
    return <OperationDrawer {...texts} {...{ onDone, onClose }} />;
  }
  return (
    <OperationDrawer
      title={`Edit ${opened.name}`}
      operation="svc_update_provider"
      fixed={{ provider: opened.name }}
      initial={{ kind: opened.kind, base_url: opened.base_url }}
      submitLabel="Save"
      {...{ onDone, onClose }}
    />
  );
}

function columnsWith(
  health: readonly ProviderHealth[],
  onEdit: (provider: Provider) => void,
): readonly Column<Provider>[] {
  return [
    { id: "name", header: "Name", sort: ({ name }) => name, cell: ({ name }) => name },
    { id: "kind", header: "Kind", sort: ({ kind }) => kind, cell: ({ kind }) => kind },
    { id: "url", header: "Address", cell: ({ base_url }) => base_url ?? "its public one" },
    {
      id: "health",
      header: "Health",
      cell: ({ name }) => <Health states={health.filter(({ provider }) => provider === name)} />,
    },
    { id: "enabled", header: "Enabled", cell: (provider) => <EnabledSwitch provider={provider} /> },
    { id: "actions", header: "", isEnd: true, cell: (row) => <Actions provider={row} onEdit={() => onEdit(row)} /> },
  ];
}

function Health({ states }: { readonly states: readonly ProviderHealth[] }) {
  const open = states.find(({ state }) => state !== "closed");
  if (states.length === 0) return <Status kind="off">Unknown</Status>;
  if (open === undefined) return <Status kind="good">Answers</Status>;
  return <Status kind="bad">{`${open.credential ?? "All calls"}: ${open.last_failure ?? open.state}`}</Status>;
}

function Actions({ provider: { name }, onEdit }: { readonly provider: Provider; readonly onEdit: () => void }) {
  const remove = useChange("svc_delete_provider");
  const mayEdit = useMay("svc_update_provider");
  const mayRemove = useMay("svc_delete_provider");
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {mayEdit && (
        <Button variant="default" onClick={onEdit}>
          Edit
        </Button>
      )}
      {mayRemove && (
        <ConfirmButton
          label="Delete"
          name={name}
          consequence="Its credentials are deleted with it. It is refused while endpoints send calls there."
          onConfirm={async () => await remove.mutateAsync({ provider: name })}
        />
      )}
    </Group>
  );
}
