import { Button, Group, Paper, Stack, Text, Textarea, Title } from "@mantine/core";
import { useState } from "react";
import { CallError } from "../../api/call-error.ts";
import type { Plan } from "../../api/types.ts";
import { useChange } from "../../api/use-control-plane.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { SecretBox } from "../../parts/secret-box.tsx";

/** The whole configuration as a document to keep; it holds no secrets. */
export function ExportConfiguration() {
  const { mutate, data, error, isPending } = useChange<{ readonly document: unknown }>("svc_export_backup");
  const save = ({ document: content }: { readonly document: unknown }) => {
    const url = URL.createObjectURL(new Blob([JSON.stringify(content, null, 2)], { type: "application/json" }));
    const link = Object.assign(document.createElement("a"), { href: url, download: "gatehouse.json" });
    link.click();
    URL.revokeObjectURL(url);
  };
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

/** Makes the gateway as a document says, after its plan was shown. */
export function ApplyConfiguration() {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<Error | null>(null);
  const plan = useChange<Plan>("svc_apply_config");
  const apply = useChange<Plan>("svc_apply_config");
  const run = (change: typeof plan, dryRun: boolean) => {
    const content = parse(text);
    setProblem(content instanceof Error ? content : null);
    if (!(content instanceof Error)) change.mutate({ document: content, dry_run: dryRun });
  };
  const edit = (next: string) => {
    setText(next);
    plan.reset();
    apply.reset();
  };
  const shown = apply.data ?? plan.data;
  return (
    <Paper className="console-panel" p="md">
      <Stack gap="sm">
        <Title order={2}>Apply</Title>
        <Textarea
          label="Document"
          description="JSON, as the export gives it. Items are found by name; what it does not name stays, and nothing is deleted."
          value={text}
          onChange={(event) => edit(event.currentTarget.value)}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
          spellCheck={false}
          autosize
          minRows={4}
          maxRows={16}
        />
        <ErrorAlert error={problem ?? plan.error ?? apply.error} />
        {shown !== undefined && <PlanView plan={shown} />}
        <Group justify="flex-end">
          <Button variant="default" loading={plan.isPending} disabled={text === ""} onClick={() => run(plan, true)}>
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

const columns: readonly Column<Plan["changes"][number]>[] = [
  { id: "action", header: "Change", cell: ({ action }) => action },
  { id: "kind", header: "Kind", cell: ({ kind }) => kind },
  { id: "name", header: "Name", cell: ({ name }) => name },
  { id: "project", header: "Project", cell: ({ project }) => project ?? "" },
  { id: "fields", header: "Settings", cell: ({ fields }) => fields.join(", ") },
];

function PlanView({ plan: { changes, dry_run, applied, secrets } }: { readonly plan: Plan }) {
  const [isNoted, setIsNoted] = useState(false);
  if (changes.length === 0)
    return <EmptyState title="Nothing to change">The gateway is as the document says.</EmptyState>;
  return (
    <Stack gap="xs" aria-live="polite">
      <Text size="sm">{dry_run ? `${changes.length} changes would be made.` : `${applied} changes were made.`}</Text>
      <DataTable
        label="Changes"
        columns={columns}
        rows={changes}
        rowKey={({ kind, name, project }) => `${kind} ${project ?? ""} ${name}`}
      />
      {secrets.length > 0 && !isNoted && (
        <SecretBox
          label="Secrets that were made"
          secret={JSON.stringify(secrets, null, 2)}
          onDone={() => setIsNoted(true)}
        />
      )}
    </Stack>
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (err) {
    const reason = err instanceof Error ? err.message : "unknown";
    return new CallError(`The document is not JSON: ${reason}`, { status: 0 });
  }
}
