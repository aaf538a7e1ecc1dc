import { Button, Group, Stack } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useNewest } from "../../api/conflict.ts";
import { useOAuthConnections } from "../../api/reads.ts";
import type { OAuthConnection } from "../../api/types.ts";
import { useChange, useMay } from "../../api/use-control-plane.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Icon } from "../../parts/icon.tsx";
import { notifyDone } from "../../parts/notify.ts";
import { OperationDrawer } from "../../parts/operation-drawer.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { RowButton, RowButtons } from "../../parts/row-button.tsx";
import { Status, type StatusKind } from "../../parts/status.tsx";
import { Time } from "../../parts/time.tsx";
import { useNow } from "../../parts/use-now.ts";

/** The OAuth clients with which an API Gateway project calls its upstreams. */
export function ConnectionsTab() {
  const { project } = useParams({ from: "/projects/$project" });
  const [opened, setOpened] = useState<"create" | OAuthConnection>();
  const columns = useMemo(() => columnsWith(setOpened), []);
  const close = () => setOpened(undefined);
  const done = () => {
    close();
    notifyDone("The connection is saved.");
  };
  const create = useMay("svc_create_oauth_connection") && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setOpened("create")}>
      Add connection
    </Button>
  );
  return (
    <Stack mt="md">
      <Group justify="flex-end">{create}</Group>
      <QueryView query={useOAuthConnections(project)}>
        {(result) =>
          result.oauth_connections.length === 0 ? (
            <EmptyState
              title="No OAuth connections"
              command={{ operation: "svc_create_oauth_connection", args: { project } }}
            >
              The gateway can fetch and renew the token for an upstream: add a connection to its token endpoint.
            </EmptyState>
          ) : (
            <DataTable
              label="OAuth connections"
              columns={columns}
              rows={result.oauth_connections}
              rowKey={({ id }) => String(id)}
              lines={2}
            />
          )
        }
      </QueryView>
      {opened === "create" && (
        <OperationDrawer
          title="Add OAuth connection"
          operation="svc_create_oauth_connection"
          fixed={{ project }}
          submitLabel="Add connection"
          onDone={done}
          onClose={close}
        />
      )}
      {opened !== undefined && opened !== "create" && (
        <EditDrawer connection={opened} project={project} onDone={done} onClose={close} />
      )}
    </Stack>
  );
}

interface EditDrawerProps {
  readonly connection: OAuthConnection;
  readonly project: string;
  readonly onDone: () => void;
  readonly onClose: () => void;
}

function EditDrawer({ connection: opened, project, onDone, onClose }: EditDrawerProps) {
  const { id, name } = opened;
  const connections = useOAuthConnections(project);
  const newest = useNewest(opened, connections, (data) => data.oauth_connections.find((row) => row.id === id));
  return (
    <OperationDrawer
      title={`Edit ${name}`}
      operation="svc_update_oauth_connection"
      fixed={{ connection_id: id }}
      submitLabel="Save"
      {...newest}
      {...{ onDone, onClose }}
    />
  );
}

function columnsWith(onEdit: (connection: OAuthConnection) => void): readonly Column<OAuthConnection>[] {
  return [
    { id: "name", header: "Name", sort: ({ name }) => name, cell: ({ name }) => name },
    { id: "url", header: "Token address", cell: ({ token_url }) => token_url },
    { id: "grant", header: "Grant", cell: ({ grant }) => grant },
    { id: "status", header: "State", cell: (connection) => <ConnectionStatus connection={connection} /> },
    {
      id: "refreshed",
      header: "Last refresh",
      cell: ({ refreshed_at }) => <Time at={refreshed_at} none="never yet" />,
    },
    { id: "expires", header: "Token ends", cell: (connection) => <TokenEnd connection={connection} /> },
    {
      id: "actions",
      header: "",
      isEnd: true,
      cell: (connection) => <Actions connection={connection} onEdit={() => onEdit(connection)} />,
    },
  ];
}

const statusKinds: Readonly<Record<string, StatusKind>> = { connected: "good", failed: "bad" };

function ConnectionStatus({ connection: { status, last_error } }: { readonly connection: OAuthConnection }) {
  return (
    <>
      <Status kind={statusKinds[status] ?? "off"}>{status}</Status>
      {last_error !== null && <div className="console-note">{last_error} The next request tries again.</div>}
    </>
  );
}

/** The end of the present token, which is renewed only while requests need it. */
function TokenEnd({ connection: { status, expires_at } }: { readonly connection: OAuthConnection }) {
  const now = useNow();
  const isOver = status === "connected" && expires_at !== null && Date.parse(expires_at) < now;
  return (
    <>
      <Time at={expires_at} none="no token yet" />
      {isOver && <div className="console-note">renewed at the next request</div>}
    </>
  );
}

function Actions({ connection, onEdit }: { readonly connection: OAuthConnection; readonly onEdit: () => void }) {
  const { id, name } = connection;
  const remove = useChange("svc_delete_oauth_connection");
  const mayEdit = useMay("svc_update_oauth_connection");
  const mayRemove = useMay("svc_delete_oauth_connection");
  return (
    <RowButtons>
      {mayEdit && <RowButton onClick={onEdit}>Edit</RowButton>}
      {mayRemove && (
        <ConfirmButton
          label="Delete"
          done={`The connection ${name} is deleted.`}
          consequence={`Endpoints that use ${name} can no longer call their upstreams.`}
          onConfirm={async () => await remove.mutateAsync({ connection_id: id })}
        />
      )}
    </RowButtons>
  );
}
