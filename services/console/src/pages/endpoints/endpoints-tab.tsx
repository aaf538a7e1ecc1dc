import { Button, Group, Stack } from "@mantine/core";
import { Link, useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useEndpoints, useProject } from "../../api/reads.ts";
import type { Endpoint, Project } from "../../api/types.ts";
import { useMay } from "../../api/use-control-plane.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Icon } from "../../parts/icon.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { Time } from "../../parts/time.tsx";
import { ActiveSwitch, EndpointActions } from "./endpoint-actions.tsx";
import { EndpointDrawer, type Opened } from "./endpoint-drawer.tsx";

/** The endpoints of an AI Gateway, AI Wrapper or API Gateway project. */
export function EndpointsTab() {
  const { project: uuid } = useParams({ from: "/projects/$project" });
  const { data: project } = useProject(uuid);
  const [opened, setOpened] = useState<Opened>();
  const columns = useMemo(() => columnsWith(setOpened), []);
  const create = useMay("svc_create_endpoint") && (
    <Button leftSection={<Icon name="plus" />} onClick={() => setOpened({ kind: "create" })}>
      Create endpoint
    </Button>
  );
  return (
    <Stack mt="md">
      <Group justify="flex-end">{create}</Group>
      <QueryView query={useEndpoints(uuid)}>
        {({ endpoints }) =>
          endpoints.length === 0 ? (
            <EmptyState
              title="No endpoints yet"
              command={{ operation: "svc_create_endpoint", args: { project: uuid }, also: neededFor(project) }}
            >
              An endpoint is a path of its project that sends calls to one or more targets. Create the first one.
            </EmptyState>
          ) : (
            <DataTable label="Endpoints" columns={columns} rows={endpoints} rowKey={({ uuid: key }) => key} />
          )
        }
      </QueryView>
      {opened !== undefined && project !== undefined && (
        <EndpointDrawer opened={opened} project={project} onClose={() => setOpened(undefined)} />
      )}
    </Stack>
  );
}

/** Arguments that are required in this project's type, which the operation's common schema cannot express. */
function neededFor(project: Project | undefined): readonly string[] {
  return project?.project_type === "api_gateway" ? ["upstream_url", "allowed_methods"] : ["targets"];
}

function columnsWith(open: (opened: Opened) => void): readonly Column<Endpoint>[] {
  return [
    { id: "slug", header: "Slug", sort: ({ slug }) => slug, cell: (row) => <EndpointLink endpoint={row} /> },
    { id: "goes", header: "Targets", cell: goesTo },
    { id: "state", header: "Active", cell: (endpoint) => <ActiveSwitch endpoint={endpoint} /> },
    { id: "changed", header: "Changed", sort: (row) => row.updated_at, cell: (row) => <Time at={row.updated_at} /> },
    {
      id: "actions",
      header: "",
      isEnd: true,
      cell: (endpoint) => (
        <EndpointActions
          endpoint={endpoint}
          onEdit={() => open({ kind: "edit", endpoint })}
          onTry={() => open({ kind: "try", endpoint })}
        />
      ),
    },
  ];
}

function EndpointLink({ endpoint: { uuid, slug, project } }: { readonly endpoint: Endpoint }) {
  return (
    <Link to="/projects/$project/endpoints/$endpoint" params={{ project, endpoint: uuid }} className="console-link">
      {slug}
    </Link>
  );
}

function goesTo({ targets, upstream_url }: Endpoint): string {
  if (upstream_url !== undefined) return upstream_url;
  return (targets ?? []).map(({ provider, model }) => `${provider}/${model}`).join(", then ");
}
