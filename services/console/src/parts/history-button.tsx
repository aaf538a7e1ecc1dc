import { List, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { Arguments } from "../api/control-plane.ts";
import type { AuditEntry } from "../api/types.ts";
import { useMay, useRead } from "../api/use-control-plane.ts";
import { EmptyState } from "./empty-state.tsx";
import { toLabel } from "./format.ts";
import { QueryView } from "./query-view.tsx";
import { RowButton } from "./row-button.tsx";
import { SidePanel } from "./side-panel.tsx";
import { Time } from "./time.tsx";

interface HistoryButtonProps {
  /** Name of the item in the audit log. */
  readonly name: string;
  /** Kind in the keys of its events, such as `endpoint` in `endpoint.updated`. */
  readonly kind: string;
  /** Project of a thing that belongs to one. */
  readonly project?: string;
  /** Restricts to events with this value in their metadata, since another item may have had the name before. */
  readonly identity?: readonly [member: string, value: string | number];
}

/** Opens an item's changes: author, fields and time. */
export function HistoryButton(props: HistoryButtonProps) {
  const [isOpen, { open, close }] = useDisclosure(false);
  if (!useMay("svc_query_audit_log")) return null;
  return (
    <>
      <RowButton onClick={open}>History</RowButton>
      {isOpen && (
        <SidePanel onClose={close} title={`History of ${props.name}`}>
          <History {...props} />
        </SidePanel>
      )}
    </>
  );
}

/** Changes shown; the audit log has all. */
const shownMax = 100;

function History({ name, kind, project, identity }: HistoryButtonProps) {
  const args: Arguments = { target: name, limit: shownMax, ...(project !== undefined && { project }) };
  const query = useRead("svc_query_audit_log", args);
  const isOfIt = ({ event, metadata }: AuditEntry) =>
    event.startsWith(`${kind}.`) && (identity === undefined || metadata[identity[0]] === identity[1]);
  return (
    <QueryView query={query}>
      {({ entries }) => {
        const changes = entries.filter(isOfIt);
        if (changes.length === 0) {
          return (
            <EmptyState title="No changes">
              The audit log has none under the current name. The Audit page lists changes under earlier names.
            </EmptyState>
          );
        }
        return (
          <List listStyleType="none" spacing="md">
            {changes.map((change) => (
              <List.Item key={change.id}>
                <ChangeView change={change} />
              </List.Item>
            ))}
          </List>
        );
      }}
    </QueryView>
  );
}

function ChangeView({ change: { at, event, actor, metadata } }: { readonly change: AuditEntry }) {
  const { changed } = metadata;
  const fields = Array.isArray(changed) ? (changed as readonly string[]).map(toLabel).join(", ") : "";
  return (
    <Stack gap={0}>
      <Text size="sm" fw={600}>
        {toLabel(event.slice(event.indexOf(".") + 1))}
        {fields !== "" && `: ${fields}`}
      </Text>
      <Text size="sm" c="dimmed">
        <Time at={at} /> by {actor}
      </Text>
    </Stack>
  );
}
