import { Button, Group, Stack, Title } from "@mantine/core";
import { useMemo, useState } from "react";
import { useNewest } from "../../api/conflict.ts";
import { useCredentials, useProviders } from "../../api/reads.ts";
import type { Credential, ProviderHealth } from "../../api/types.ts";
import { useMay } from "../../api/use-control-plane.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Icon } from "../../parts/icon.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { type Opened, ResourceDrawer } from "../../parts/resource-drawer.tsx";
import { RowActions } from "../../parts/row-actions.tsx";
import { RowSwitch } from "../../parts/row-switch.tsx";
import type { FieldProps } from "../../parts/schema-form/field.ts";
import { KnownTextField } from "../../parts/schema-form/known-values-field.tsx";
import { Time } from "../../parts/time.tsx";
import { useSwitch } from "../../parts/use-switch.ts";
import { TestButton } from "./test-button.tsx";

interface CredentialsProps {
  /** Health of providers, each with the credential in use; undefined where unknown or not permitted. */
  readonly health: readonly ProviderHealth[] | undefined;
}

/** Keys of all providers. A key is sealed on arrival and never shown. */
export function Credentials({ health }: CredentialsProps) {
  const [opened, setOpened] = useState<Opened<Credential>>();
  const close = () => setOpened(undefined);
  const query = useCredentials();
  const columns = useMemo(() => columnsWith(setOpened, health), [health]);
  const mayCreate = useMay("svc_create_credential");
  if (!useMay("svc_list_credentials")) return null;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2}>Credentials</Title>
        {mayCreate && (
          <Button variant="default" leftSection={<Icon name="plus" />} onClick={() => setOpened("create")}>
            Add credential
          </Button>
        )}
      </Group>
      <QueryView query={query}>
        {({ credentials }) =>
          credentials.length === 0 ? (
            <EmptyState title="No credentials" command={{ operation: "svc_create_credential" }}>
              Providers other than the mock need an API key: add one for each.
            </EmptyState>
          ) : (
            <DataTable label="Credentials" columns={columns} rows={credentials} rowKey={({ id }) => String(id)} />
          )
        }
      </QueryView>
      {opened === "create" && <ResourceDrawer {...drawer} edited={undefined} onClose={close} />}
      {typeof opened === "object" && <EditDrawer credential={opened} onClose={close} />}
    </Stack>
  );
}

const fields = {
  provider: function ProviderField(props: FieldProps) {
    const { data } = useProviders();
    return <KnownTextField {...props} known={(data?.providers ?? []).map(({ name }) => name)} />;
  },
};

const drawer = { noun: "credential", create: "svc_create_credential", fields } as const;

function EditDrawer({ credential, onClose }: { readonly credential: Credential; readonly onClose: () => void }) {
  const { id, name } = credential;
  const newest = useNewest(credential, useCredentials(), (data) => data.credentials.find((row) => row.id === id));
  const edited = { name, operation: "svc_update_credential", fixed: { credential_id: id }, ...newest } as const;
  return <ResourceDrawer {...drawer} edited={edited} onClose={onClose} />;
}

function columnsWith(
  onEdit: (credential: Credential) => void,
  health: readonly ProviderHealth[] | undefined,
): readonly Column<Credential>[] {
  const inUse = new Map((health ?? []).map((each) => [each.credential_id, each]));
  return [
    { id: "name", header: "Name", sort: ({ name }) => name, cell: ({ name }) => name },
    { id: "provider", header: "Provider", sort: ({ provider }) => provider, cell: ({ provider }) => provider },
    { id: "active", header: "Active", cell: (credential) => <ActiveSwitch credential={credential} /> },
    {
      id: "success",
      header: "Last success",
      cell: ({ id }) =>
        health !== undefined && (
          <Time at={inUse.get(id)?.last_success_at} none={inUse.has(id) ? "none recently" : "not in use"} />
        ),
    },
    { id: "failure", header: "Last failure", cell: ({ id }) => <LastFailure health={inUse.get(id)} /> },
    { id: "created", header: "Created", sort: (row) => row.created_at, cell: (row) => <Time at={row.created_at} /> },
    { id: "actions", header: "", isEnd: true, cell: (row) => <Actions credential={row} onEdit={() => onEdit(row)} /> },
  ];
}

function LastFailure({ health }: { readonly health: ProviderHealth | undefined }) {
  if (health === undefined || health.last_failure === null) return null;
  return (
    <>
      {health.last_failure}, <Time at={health.last_failure_at} />
    </>
  );
}

function ActiveSwitch({ credential: { id, name, is_active } }: { readonly credential: Credential }) {
  const { mayChange, isPending, change } = useSwitch({
    operation: "svc_set_credential_active",
    args: { credential_id: id },
    flag: "is_active",
    words: { on: `${name} is active: calls may use it.`, off: `${name} is inactive: no call uses it.` },
  });
  return (
    <RowSwitch
      label={`${name} is active`}
      isOn={is_active}
      isDisabled={!mayChange || isPending}
      onChange={(isOn) => void change(isOn)}
    />
  );
}

function Actions({
  credential: { id, name },
  onEdit,
}: {
  readonly credential: Credential;
  readonly onEdit: () => void;
}) {
  return (
    <RowActions
      resource="credential"
      done={`${name} is deleted.`}
      args={{ credential_id: id }}
      onEdit={onEdit}
      consequence={`Calls no longer use ${name}. The key itself cannot be read back.`}
    >
      <TestButton credential={{ id, name }} />
    </RowActions>
  );
}
