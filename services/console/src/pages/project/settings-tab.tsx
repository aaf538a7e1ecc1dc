import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useConflictCheck, useNewest } from "../../api/conflict.ts";
import { useProject } from "../../api/reads.ts";
import type { Project } from "../../api/types.ts";
import { useChange, useMay, useSchema } from "../../api/use-control-plane.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { MissingRight } from "../../parts/missing-right.tsx";
import { notifyDone } from "../../parts/notify.ts";
import { QueryView } from "../../parts/query-view.tsx";
import { SchemaForm } from "../../parts/schema-form/schema-form.tsx";

const names = ["name", "rate_limit_per_minute", "rate_limit_per_hour", "on_ledger_unavailable"];

/** A project's name and limits, and its deletion. */
export function SettingsTab() {
  const { project: uuid } = useParams({ from: "/projects/$project" });
  return (
    <Stack maw={560} mt="md">
      <QueryView query={useProject(uuid)}>
        {(project) => (
          <>
            <Limits key={project.uuid} project={project} />
            <Deletion project={project} />
          </>
        )}
      </QueryView>
    </Stack>
  );
}

function Limits({ project }: { readonly project: Project }) {
  const { uuid } = project;
  const { initial, readNow } = useNewest(project, useProject(uuid), (newest) => newest);
  const check = useConflictCheck();
  const { mutate, isPending, error } = useChange("svc_update_project", async (changed) => {
    check({ changed, known: initial, now: await readNow() });
    return changed;
  });
  const schema = useSchema("svc_update_project");
  const mayChange = useMay("svc_update_project");
  const [isUnsaved, setIsUnsaved] = useState(false);
  // Unsaved input stays when the right to save it is lost.
  if (!mayChange && !isUnsaved && !isPending && error === null)
    return <MissingRight deed="change the project" operation="svc_update_project" />;
  return (
    <Paper className="console-panel" p="md">
      <SchemaForm
        schema={schema}
        names={names}
        initial={initial}
        submitLabel="Save"
        onSubmit={(changed) =>
          mutate({ ...changed, project: uuid }, { onSuccess: () => notifyDone("The project is saved.") })
        }
        isBusy={isPending}
        error={error}
        onUnsaved={setIsUnsaved}
      />
    </Paper>
  );
}

function Deletion({ project: { uuid, name } }: { readonly project: Project }) {
  const navigate = useNavigate();
  const { mutateAsync } = useChange("svc_delete_project");
  if (!useMay("svc_delete_project")) return null;
  const remove = async () => {
    await mutateAsync({ project: uuid });
    await navigate({ to: "/projects" });
  };
  return (
    <Paper className="console-panel" p="md">
      <Group justify="space-between">
        <Stack gap={2}>
          <Title order={2}>Delete project</Title>
          <Text c="dimmed" size="sm">
            This cannot be undone.
          </Text>
        </Stack>
        <ConfirmButton
          label="Delete project"
          done={`${name} is deleted.`}
          name={name}
          consequence="Its tokens stop working immediately; its endpoints, upstreams and webhooks are deleted with it. Log entries are kept."
          onConfirm={remove}
        />
      </Group>
    </Paper>
  );
}
