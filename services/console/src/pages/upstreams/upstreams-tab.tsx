import { Button, Group, Stack } from "@mantine/core";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useNewest } from "../../api/conflict.ts";
import { useUpstreams } from "../../api/reads.ts";
import type { Upstream } from "../../api/types.ts";
import { useMay } from "../../api/use-control-plane.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Icon } from "../../parts/icon.tsx";
import { notifyDone } from "../../parts/notify.ts";
import { OperationDrawer } from "../../parts/operation-drawer.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { RowButton, RowButtons } from "../../parts/row-button.tsx";
import { RowSwitch } from "../../parts/row-switch.tsx";
import { ActiveStatus } from "../../parts/status.tsx";
import { useSwitch } from "../../parts/use-switch.ts";
import { RemovableSecretField } from "./removable-secret-field.tsx";
import { UpstreamDrawer } from "./upstream-drawer.tsx";
import { UpstreamHealth } from "./upstream-health.tsx";
import { useFirstCheck } from "./use-first-check.ts";

const from = "/projects/$project/upstreams";

type Opened = { readonly kind: "create" } | { readonly kind: "edit"; readonly upstream: Upstream };

/** The MCP servers behind an MCP Gateway project. */
export function UpstreamsTab() {
  const { project } = useParams({ from });
  const { upstream: shownId } = useSearch({ from });
  const navigate = useNavigate({ from });
  const [opened, setOpened] = useState<Opened>();
  const columns = useMemo(
    () => columnsWith(setOpened, (id) => void navigate({ search: { upstream: id } })),
    [navigate],
  );
  const query = useUpstreams(project);
  const create = useMay("svc_create_upstream") && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setOpened({ kind: "create" })}>
      Add upstream
    </Button>
  );
  const shown = query.data?.upstreams.find(({ id }) => id === shownId);
  const check = useFirstCheck(shown);
  return (
    <Stack mt="md">
      <Group justify="flex-end">{create}</Group>
      <QueryView query={query}>
        {({ upstreams }) =>
          upstreams.length === 0 ? (
            <EmptyState title="No upstreams yet" command={{ operation: "svc_create_upstream", args: { project } }}>
              Add an MCP server: its tools are listed with a prefix on this project's MCP route.
            </EmptyState>
          ) : (
            <DataTable label="Upstreams" columns={columns} rows={upstreams} rowKey={({ id }) => String(id)} />
          )
        }
      </QueryView>
      {opened?.kind === "create" && (
        <CreateDrawer project={project} onCreated={check} onClose={() => setOpened(undefined)} />
      )}
      {opened?.kind === "edit" && <EditDrawer upstream={opened.upstream} onClose={() => setOpened(undefined)} />}
      {shown !== undefined && <UpstreamDrawer upstream={shown} onClose={() => void navigate({ search: {} })} />}
    </Stack>
  );
}

interface CreateDrawerProps {
  readonly project: string;
  readonly onCreated: (id: number) => void;
  readonly onClose: () => void;
}

function CreateDrawer({ project, onCreated, onClose }: CreateDrawerProps) {
  const onDone = ({ id }: Pick<Upstream, "id">) => {
    onClose();
    onCreated(id);
    notifyDone("The upstream is added.");
  };
  return (
    <OperationDrawer
      title="Add upstream"
      operation="svc_create_upstream"
      fixed={{ project }}
      submitLabel="Add upstream"
      {...{ onDone, onClose }}
    />
  );
}

const savedTokenField = { bearer_token: RemovableSecretField };

function EditDrawer({ upstream, onClose }: { readonly upstream: Upstream; readonly onClose: () => void }) {
  const onDone = () => {
    onClose();
    notifyDone("The upstream is saved.");
  };
  const { project } = useParams({ from });
  const newest = useNewest(upstream, useUpstreams(project), (data) =>
    data.upstreams.find(({ id }) => id === upstream.id),
  );
  return (
    <OperationDrawer
      title={`Edit ${upstream.prefix}`}
      operation="svc_update_upstream"
      fixed={{ upstream_id: upstream.id }}
      {...newest}
      {...(upstream.has_bearer_token && { fields: savedTokenField })}
      submitLabel="Save"
      {...{ onDone, onClose }}
    />
  );
}

function columnsWith(open: (opened: Opened) => void, onShow: (id: number) => void): readonly Column<Upstream>[] {
  return [
    {
      id: "prefix",
      header: "Prefix",
      sort: ({ prefix }) => prefix,
      cell: (upstream) => <PrefixLink upstream={upstream} />,
    },
    { id: "url", header: "Address", cell: ({ url }) => url },
    { id: "active", header: "Active", cell: (upstream) => <ActiveSwitch upstream={upstream} /> },
    { id: "health", header: "Health", cell: (upstream) => <UpstreamHealth upstream={upstream} /> },
    { id: "tools", header: "Tools", isEnd: true, cell: ({ state }) => state.tool_count },
    { id: "changed", header: "To approve", isEnd: true, cell: ({ state }) => state.changed_tools.length },
    {
      id: "actions",
      header: "",
      isEnd: true,
      cell: (upstream) => (
        <RowButtons>
          <RowButton onClick={() => onShow(upstream.id)}>Details</RowButton>
          <EditButton onClick={() => open({ kind: "edit", upstream })} />
        </RowButtons>
      ),
    },
  ];
}

function PrefixLink({ upstream: { id, prefix } }: { readonly upstream: Upstream }) {
  const { project } = useParams({ from });
  return (
    <Link to={from} params={{ project }} search={{ upstream: id }} className="console-link">
      {prefix}
    </Link>
  );
}

function ActiveSwitch({ upstream: { id, prefix, is_active } }: { readonly upstream: Upstream }) {
  const { mayChange, isPending, change } = useSwitch({
    operation: "svc_update_upstream",
    args: { upstream_id: id },
    flag: "is_active",
    words: {
      on: `${prefix} is active: its tools are listed and called.`,
      off: `${prefix} is inactive: its tools are neither listed nor called.`,
    },
  });
  if (!mayChange) return <ActiveStatus isActive={is_active} />;
  return (
    <RowSwitch
      label={`${prefix} is active`}
      isOn={is_active}
      isDisabled={isPending}
      onChange={(isOn) => void change(isOn)}
    />
  );
}

function EditButton({ onClick }: { readonly onClick: () => void }) {
  if (!useMay("svc_update_upstream")) return null;
  return <RowButton onClick={onClick}>Edit</RowButton>;
}
