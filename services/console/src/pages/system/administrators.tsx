import { Button, Group, Stack, Title } from "@mantine/core";
import { useMemo, useState } from "react";
import { useAdminKeys, useProjects } from "../../api/reads.ts";
import type { AdminKey } from "../../api/types.ts";
import { useChange, useMay } from "../../api/use-control-plane.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { formatCount, shorten } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { OperationDrawer } from "../../parts/operation-drawer.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import type { FieldProps } from "../../parts/schema-form/field.ts";
import { KnownChoicesField } from "../../parts/schema-form/known-values-field.tsx";
import { SecretBox } from "../../parts/secret-box.tsx";
import { useShownSecrets } from "../../parts/shown-secrets.ts";
import { ActiveStatus } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { visibleName } from "../../parts/visible-name.ts";

type ShownKey = AdminKey & { readonly key: string };

/** Lowest role, as the default. */
const leastRole = { role: "viewer" };

/** Admin keys with their roles. */
export function Administrators() {
  const [isCreating, setIsCreating] = useState(false);
  const { shown, show, confirm } = useShownSecrets<ShownKey>();
  const mayCreate = useMay("svc_create_admin_key");
  const mayList = useMay("svc_list_admin_keys");
  // Unsaved input, and a key that is shown only once, stay when the right to the list is lost.
  if (!mayList && !isCreating && shown.length === 0) return null;
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2}>Administrators</Title>
        {mayCreate && (
          <Button leftSection={<Icon name="plus" />} onClick={() => setIsCreating(true)}>
            Create admin key
          </Button>
        )}
      </Group>
      {shown.map((made) => (
        <SecretBox key={made.id} label={`Admin key ${made.name}`} secret={made.key} onDone={() => confirm(made)} />
      ))}
      {mayList && <AdminKeys onRotated={show} />}
      {isCreating && (
        <OperationDrawer
          title="Create admin key"
          operation="svc_create_admin_key"
          fields={fields}
          prefilled={leastRole}
          submitLabel="Create admin key"
          onDone={(key) => {
            setIsCreating(false);
            show(key);
          }}
          onClose={() => setIsCreating(false)}
        />
      )}
    </Stack>
  );
}

function AdminKeys({ onRotated }: { readonly onRotated: (key: ShownKey) => void }) {
  const { data } = useProjects();
  const columns = useMemo(() => {
    const names = new Map((data?.projects ?? []).map(({ uuid, name }) => [uuid, name]));
    return columnsWith(onRotated, names);
  }, [onRotated, data]);
  return (
    <QueryView query={useAdminKeys()} lines={2}>
      {({ admin_keys: keys }) =>
        keys.length === 0 ? (
          <EmptyState title="No admin keys" command={{ operation: "svc_create_admin_key" }}>
            Create one for each administrator.
          </EmptyState>
        ) : (
          <DataTable label="Admin keys" columns={columns} rows={keys} rowKey={({ id }) => String(id)} />
        )
      }
    </QueryView>
  );
}

const fields = {
  projects: function ProjectsField(props: FieldProps) {
    const { data } = useProjects();
    const known = (data?.projects ?? []).map(({ uuid, name }) => ({ value: uuid, label: name, hint: shorten(uuid) }));
    const schema = { ...props.schema, description: "Projects that the role applies to. Empty is the whole gateway." };
    return <KnownChoicesField {...props} schema={schema} known={known} />;
  },
};

function columnsWith(
  onRotated: (key: ShownKey) => void,
  names: ReadonlyMap<string, string>,
): readonly Column<AdminKey>[] {
  return [
    { id: "name", header: "Name", sort: ({ name }) => name, cell: ({ name }) => name },
    { id: "role", header: "Role", sort: ({ role }) => role, cell: ({ role }) => role },
    { id: "projects", header: "Projects", cell: ({ projects }) => <ProjectNames {...{ projects, names }} /> },
    { id: "state", header: "State", cell: ({ is_active }) => <ActiveStatus isActive={is_active} /> },
    { id: "used", header: "Last used", cell: ({ last_used_at }) => <Time at={last_used_at} /> },
    { id: "expires", header: "Expires", cell: ({ expires_at }) => <Time at={expires_at} /> },
    { id: "actions", header: "", isEnd: true, cell: (row) => <Actions adminKey={row} onRotated={onRotated} /> },
  ];
}

/** Projects shown in a row; the others are in its tooltip. */
const projectsShownMax = 3;

interface ProjectNamesProps {
  readonly projects: readonly string[] | null;
  readonly names: ReadonlyMap<string, string>;
}

function ProjectNames({ projects, names }: ProjectNamesProps) {
  if (projects === null) return "all";
  const named = projects.map((uuid) => visibleName(names.get(uuid) ?? shorten(uuid)));
  const rest = named.length - projectsShownMax;
  const shown = named.slice(0, projectsShownMax).join(", ");
  return <span title={named.join(", ")}>{rest > 0 ? `${shown} and ${formatCount(rest)} more` : shown}</span>;
}

interface ActionsProps {
  readonly adminKey: AdminKey;
  readonly onRotated: (key: ShownKey) => void;
}

function Actions({ adminKey: { id, name, is_active }, onRotated }: ActionsProps) {
  const rotate = useChange("svc_rotate_admin_key");
  const revoke = useChange("svc_revoke_admin_key");
  const may = { rotate: useMay("svc_rotate_admin_key"), revoke: useMay("svc_revoke_admin_key") };
  if (!is_active) return null;
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {may.rotate && (
        <ConfirmButton
          label="Rotate"
          done={`${name} has a new key.`}
          consequence={`${name} gets a new key; the current one, and sessions opened with it, stop working.`}
          onConfirm={async () => onRotated(await rotate.mutateAsync({ admin_key_id: id }))}
          isDanger={false}
        />
      )}
      {may.revoke && (
        <ConfirmButton
          label="Revoke"
          done={`${name} is revoked.`}
          consequence={`${name} and the sessions opened with it stop working immediately. This cannot be undone.`}
          onConfirm={async () => await revoke.mutateAsync({ admin_key_id: id })}
        />
      )}
    </Group>
  );
}
