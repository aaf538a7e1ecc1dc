import { Button, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link, useNavigate } from "@tanstack/react-router";
import { useProjects } from "../../api/reads.ts";
import type { Project } from "../../api/types.ts";
import { useMay } from "../../api/use-control-plane.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { formatCount } from "../../parts/format.ts";
import { Icon } from "../../parts/icon.tsx";
import { OperationDrawer } from "../../parts/operation-drawer.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { projectTypeLabels } from "../../parts/project-types.ts";
import { QueryView } from "../../parts/query-view.tsx";
import { Time } from "../../parts/time.tsx";
import { visibleName } from "../../parts/visible-name.ts";

const columns: readonly Column<Project>[] = [
  {
    id: "name",
    header: "Name",
    sort: ({ name }) => name,
    cell: ({ name, uuid }) => (
      <Link to="/projects/$project" params={{ project: uuid }} className="console-link">
        {visibleName(name)}
      </Link>
    ),
  },
  {
    id: "type",
    header: "Type",
    sort: ({ project_type }) => project_type,
    cell: ({ project_type }) => projectTypeLabels[project_type],
  },
  {
    id: "minute",
    header: "Requests per minute",
    isEnd: true,
    cell: ({ rate_limit_per_minute: limit }) => limitText(limit),
  },
  { id: "hour", header: "Requests per hour", isEnd: true, cell: ({ rate_limit_per_hour: limit }) => limitText(limit) },
  {
    id: "created",
    header: "Created",
    sort: ({ created_at }) => created_at,
    cell: ({ created_at }) => <Time at={created_at} />,
  },
];

function limitText(limit: number | null): string {
  return limit === null ? "unlimited" : formatCount(limit);
}

/** All projects that the person may see. */
export function ProjectsPage() {
  const query = useProjects();
  const navigate = useNavigate();
  const [isCreating, { open, close }] = useDisclosure(false);
  const create = useMay("svc_create_project") && (
    <Button leftSection={<Icon name="plus" />} onClick={open}>
      Create project
    </Button>
  );
  const openProject = async ({ uuid }: Project) =>
    await navigate({ to: "/projects/$project", params: { project: uuid } });
  return (
    <Stack>
      <PageHeader
        title="Projects"
        description="Each project has its own tokens, limits and policies; its type decides what it serves."
        actions={create}
      />
      <QueryView query={query}>
        {({ projects }) =>
          projects.length === 0 ? (
            <EmptyState title="No projects yet" command={{ operation: "svc_create_project" }}>
              Create one for each application or team that calls models, MCP servers or HTTP APIs.
            </EmptyState>
          ) : (
            <DataTable label="Projects" columns={columns} rows={projects} rowKey={({ uuid }) => uuid} />
          )
        }
      </QueryView>
      {isCreating && (
        <OperationDrawer
          title="Create project"
          operation="svc_create_project"
          prefilled={{ rate_limit_per_minute: 600, rate_limit_per_hour: 20_000 }}
          submitLabel="Create project"
          onDone={(project) => void openProject(project)}
          onClose={close}
        />
      )}
    </Stack>
  );
}
