import { Button, Group, Stack } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useNewest } from "../../api/conflict.ts";
import { useEndpoints, useProject } from "../../api/reads.ts";
import type { Endpoint, Project } from "../../api/types.ts";
import type { FieldProps } from "../../parts/schema-form/field.ts";
import { useMay, useSchema } from "../../api/use-control-plane.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Icon } from "../../parts/icon.tsx";
import { notifyDone } from "../../parts/notify.ts";
import { OperationDrawer, type OperationDrawerProps } from "../../parts/operation-drawer.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { Time } from "../../parts/time.tsx";
import { ActiveSwitch, EndpointActions } from "./endpoint-actions.tsx";
import { endpointArguments } from "./endpoint-arguments.ts";
import { PromptField } from "./prompt-field.tsx";
import { SchemaSampleField } from "./schema-sample-field.tsx";
import { TargetsField } from "./targets-field.tsx";
import { TryDrawer } from "./try-drawer.tsx";

/** Panel open at the side of the list. */
type Opened = { readonly kind: "create" } | { readonly kind: "edit" | "try"; readonly endpoint: Endpoint };

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
              An endpoint has a path of its own, and says where its calls go. Create the first one.
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

/** Arguments that one operation for three types of project cannot ask for. */
function neededFor(project: Project | undefined): readonly string[] {
  return project?.project_type === "api_gateway" ? ["upstream_url", "allowed_methods"] : ["targets"];
}

interface EndpointDrawerProps {
  readonly opened: Opened;
  readonly project: Project;
  readonly onClose: () => void;
}

function EndpointDrawer({ opened, project, onClose }: EndpointDrawerProps) {
  const { properties = {} } = useSchema(opened.kind === "edit" ? "svc_update_endpoint" : "svc_create_endpoint");
  const names = endpointArguments(project.project_type, Object.keys(properties));
  const fields = useMemo(() => fieldsFor(project.uuid), [project.uuid]);
  const done = (message: string) => () => {
    notifyDone(message);
    onClose();
  };
  if (opened.kind === "try") return <TryDrawer endpoint={opened.endpoint} project={project} onClose={onClose} />;
  if (opened.kind === "create") {
    return (
      <OperationDrawer
        title="Create endpoint"
        operation="svc_create_endpoint"
        {...{ names, fields, onClose }}
        fixed={{ project: project.uuid }}
        prefilled={startFor(project)}
        submitLabel="Create endpoint"
        onDone={done("The endpoint is created, and active.")}
      />
    );
  }
  return (
    <EditDrawer {...{ names, fields, onClose }} endpoint={opened.endpoint} onDone={done("The endpoint is saved.")} />
  );
}

interface EditDrawerProps extends Pick<
  OperationDrawerProps<"svc_update_endpoint">,
  "fields" | "names" | "onClose" | "onDone"
> {
  readonly endpoint: Endpoint;
}

function EditDrawer({ endpoint, ...props }: EditDrawerProps) {
  const { uuid, slug, project } = endpoint;
  const newest = useNewest(endpoint, useEndpoints(project), (data) => data.endpoints.find((row) => row.uuid === uuid));
  return (
    <OperationDrawer
      title={`Edit ${slug}`}
      operation="svc_update_endpoint"
      fixed={{ endpoint: uuid }}
      submitLabel="Save"
      {...newest}
      {...props}
    />
  );
}

/** Fields that know more than their schema; the same ones from drawing to drawing, so that they keep their state. */
function fieldsFor(project: string) {
  const schema = (props: FieldProps) => <SchemaSampleField {...props} project={project} />;
  return {
    targets: TargetsField,
    system_prompt: (props: FieldProps) => <PromptField {...props} project={project} />,
    input_schema: schema,
    output_schema: schema,
  };
}

/** Clients of a Wrapper expect streams; an endpoint of an API needs a method, and reading does the least harm. */
function startFor({ project_type }: Project) {
  if (project_type === "api_gateway") return { allowed_methods: ["GET"] };
  return project_type === "ai_wrapper" ? { streaming_enabled: true } : {};
}

function columnsWith(open: (opened: Opened) => void): readonly Column<Endpoint>[] {
  return [
    { id: "slug", header: "Slug", sort: ({ slug }) => slug, cell: ({ slug }) => slug },
    { id: "goes", header: "Goes to", cell: goesTo },
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

function goesTo({ targets, upstream_url }: Endpoint): string {
  if (upstream_url !== undefined) return upstream_url;
  return (targets ?? []).map(({ provider, model }) => `${provider}/${model}`).join(", then ");
}
