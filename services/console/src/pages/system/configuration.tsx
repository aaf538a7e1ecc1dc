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
import { SecretBox } from "../../parts/secret-box.tsx";
import { PlanView } from "./plan-view.tsx";
import { useApply } from "./use-apply.ts";

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
  const content = readJson(text);
  const problem = content instanceof Unreadable ? content.problem : undefined;
  const isReadable = content !== undefined && problem === undefined;
  const { plan, apply, before, secrets, ...act } = useApply(content);
  const edit = (next: string) => {
    setText(next);
    act.reset();
  };
  const shown = apply.data ?? plan.data;
  const isApplied = apply.data?.failed === null;
  const mayApply = useMay("svc_apply_config");
  // A pasted document, and secrets that are shown only once, stay when the right to apply it is lost.
  if (!mayApply && text === "" && secrets.length === 0) return null;
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
          // An edit would hide the result.
          readOnly={apply.isPending}
        />
        <ErrorAlert error={plan.error ?? apply.error} />
        <LiveResult>{shown !== undefined && <PlanView plan={shown} before={before} wanted={content} />}</LiveResult>
        {secrets.length > 0 && (
          <SecretBox label="New secrets" secret={JSON.stringify(secrets, null, 2)} onDone={act.confirmSecrets} />
        )}
        <Group justify="flex-end">
          <Button
            variant="default"
            loading={plan.isPending}
            disabled={!isReadable || apply.isPending}
            onClick={act.showPlan}
          >
            Show the plan
          </Button>
          <Button
            loading={apply.isPending}
            disabled={plan.data === undefined || plan.data.changes.length === 0 || apply.data !== undefined}
            onClick={act.applyAll}
          >
            Apply these changes
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
