import { useMemo } from "react";
import { useNewest } from "../../api/conflict.ts";
import { useEndpoints } from "../../api/reads.ts";
import type { Endpoint, Project } from "../../api/types.ts";
import { useSchema } from "../../api/use-control-plane.ts";
import { notifyDone } from "../../parts/notify.ts";
import { OperationDrawer, type OperationDrawerProps } from "../../parts/operation-drawer.tsx";
import type { FieldProps } from "../../parts/schema-form/field.ts";
import { endpointArguments } from "./endpoint-arguments.ts";
import { PromptField } from "./prompt-field.tsx";
import { SchemaSampleField } from "./schema-sample-field.tsx";
import { TargetsField } from "./targets-field.tsx";
import { TryDrawer } from "./try-drawer.tsx";

/** State of the panel at the side of the page. */
export type Opened = { readonly kind: "create" } | { readonly kind: "edit" | "try"; readonly endpoint: Endpoint };

interface EndpointDrawerProps {
  readonly opened: Opened;
  readonly project: Project;
  readonly onClose: () => void;
}

/** Form of a new or existing endpoint, or a call of it. */
export function EndpointDrawer({ opened, project, onClose }: EndpointDrawerProps) {
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
        onDone={done("The endpoint is created and active.")}
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

/** Custom fields for some settings. Memoised, so that they keep their state. */
function fieldsFor(project: string) {
  const schema = (props: FieldProps) => <SchemaSampleField {...props} project={project} />;
  return {
    targets: TargetsField,
    system_prompt: (props: FieldProps) => <PromptField {...props} project={project} />,
    input_schema: schema,
    output_schema: schema,
  };
}

/** Initial values: clients of a Wrapper expect streams; an API endpoint needs a method, and GET does the least harm. */
function startFor({ project_type }: Project) {
  if (project_type === "api_gateway") return { allowed_methods: ["GET"] };
  return project_type === "ai_wrapper" ? { streaming_enabled: true } : {};
}
