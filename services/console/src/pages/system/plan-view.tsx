import { Group, Stack, Text } from "@mantine/core";
import type { Plan } from "../../api/types.ts";
import { DiffView } from "../../parts/diff-view.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { Status, type StatusKind } from "../../parts/status.tsx";
import { compareChange } from "./compare-change.ts";

interface PlanViewProps {
  readonly plan: Plan;
  /** The configuration before, and as wanted by the document. */
  readonly before: unknown;
  readonly wanted: unknown;
}

const kinds: Readonly<Record<string, StatusKind>> = { create: "good", update: "warning" };

/** Results of the changes of a document that was applied in part. */
const outcomes: Readonly<Record<string, { readonly kind: StatusKind; readonly label: string }>> = {
  made: { kind: "good", label: "Made" },
  refused: { kind: "bad", label: "Refused" },
  unknown: { kind: "warning", label: "Not known" },
  not_made: { kind: "off", label: "Not made" },
};

/** Changes of a document, each as a comparison of present and wanted values. */
export function PlanView({ plan: { changes, dry_run, applied, failed }, before, wanted }: PlanViewProps) {
  if (changes.length === 0)
    return <EmptyState title="Nothing to change">The gateway already matches the document.</EmptyState>;
  return (
    <Stack gap="sm">
      <Text size="sm">
        {dry_run
          ? `${countOf(changes.length)} would be made.`
          : `${countOf(applied)} ${applied === 1 ? "was" : "were"} made.`}
      </Text>
      <ErrorAlert error={failed === null ? null : new Error(failed.message)} />
      {changes.map((change, at) => {
        const { action, kind, name, project, outcome } = change;
        const compared = compareChange(change, before, wanted);
        const label = `${kind} ${project === null || kind === "project" ? name : `${project}/${name}`}`;
        return (
          <Stack gap={4} key={`${at} ${label}`}>
            <Group gap="xs">
              <Status kind={kinds[action] ?? "off"}>{action}</Status>
              {failed !== null && (
                <Status kind={outcomes[outcome]?.kind ?? "off"}>{outcomes[outcome]?.label ?? outcome}</Status>
              )}
              <Text size="sm" fw={600}>
                {label}
              </Text>
            </Group>
            {compared !== undefined && <DiffView label={`Change of ${label}`} {...compared} />}
          </Stack>
        );
      })}
    </Stack>
  );
}

function countOf(changes: number): string {
  return changes === 1 ? "1 change" : `${changes} changes`;
}
