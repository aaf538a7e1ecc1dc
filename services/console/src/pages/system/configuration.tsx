import { Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useChange, useMay } from "../../api/use-control-plane.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { FreeText } from "../../parts/free-text.tsx";
import { LiveResult } from "../../parts/live-result.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { readJson } from "../../parts/schema-form/read-json.ts";
import { Unreadable } from "../../parts/schema-form/unreadable.ts";
import { PlanView } from "./plan-view.tsx";

/** Exports the whole configuration as a document without secrets. */
export function ExportConfiguration() {
  const { mutate, data, error, isPending } = useChange("svc_export_backup");
  const save = ({ document: content }: { readonly document: unknown }) =>
    saveFile("gatehouse.json", JSON.stringify(content, null, 2), "application/json");
  return (
    <Paper className="console-panel" p="md">
      <Stack gap="sm">
        <Group justify="space-between">
          <Stack gap={2}>
            <Title order={2}>Export</Title>
            <Text size="sm" c="dimmed">
              Projects, endpoints, policies and the rest as one document, without any secret.
            </Text>
          </Stack>
          <Group gap="xs">
            {data !== undefined && (
              <Button variant="default" onClick={() => save(data)}>
                Save as file
              </Button>
            )}
            <Button variant="default" loading={isPending} onClick={() => mutate({})}>
              Export configuration
            </Button>
          </Group>
        </Group>
        <ErrorAlert error={error} />
        {data !== undefined && <CodeBlock text={JSON.stringify(data.document, null, 2)} label="Configuration" />}
      </Stack>
    </Paper>
  );
}

/** Applies a configuration document after showing its plan. */
export function ApplyConfiguration() {
  const [text, setText] = useState("");
  const mayCompare = useMay("svc_export_backup");
  const present = useChange("svc_export_backup");
  const plan = useChange("svc_apply_config");
  const apply = useChange("svc_apply_config");
  const content = readJson(text);
  const problem = content instanceof Unreadable ? content.problem : undefined;
  const isReadable = content !== undefined && problem === undefined;
  const run = (change: typeof plan, dryRun: boolean) => {
    // A new plan replaces the shown result of the last one, which may have stopped halfway.
    if (dryRun) apply.reset();
    if (dryRun && mayCompare) present.mutate({});
    change.mutate({ document: content, dry_run: dryRun });
  };
  const edit = (next: string) => {
    setText(next);
    plan.reset();
    apply.reset();
  };
  const shown = apply.data ?? plan.data;
  const isApplied = apply.data?.failed === null;
  const mayApply = useMay("svc_apply_config");
  // A pasted document stays when the right to apply it is lost.
  if (!mayApply && text === "") return null;
  return (
    <Paper className="console-panel" p="md">
      <Stack gap="sm">
        <Title order={2}>Apply</Title>
        <FreeText
          label="Document"
          description="JSON in the format of the export. Items are matched by name; items that the document does not contain stay as they are."
          value={text}
          error={problem}
          onText={edit}
          spent={[isApplied ? text : undefined]}
          loss="The document to apply is not saved."
          isCode
          minRows={4}
          maxRows={16}
        />
        <ErrorAlert error={plan.error ?? apply.error} />
        <LiveResult>
          {shown !== undefined && <PlanView plan={shown} before={present.data?.document} wanted={content} />}
        </LiveResult>
        <Group justify="flex-end">
          <Button variant="default" loading={plan.isPending} disabled={!isReadable} onClick={() => run(plan, true)}>
            Show the plan
          </Button>
          <Button
            loading={apply.isPending}
            disabled={plan.data === undefined || plan.data.changes.length === 0 || apply.data !== undefined}
            onClick={() => run(apply, false)}
          >
            Apply these changes
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
