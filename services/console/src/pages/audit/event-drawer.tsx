import { Stack, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { AuditEntry } from "../../api/types.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { Facts } from "../../parts/facts.tsx";
import { formatAbsolute } from "../../parts/format.ts";
import { SidePanel } from "../../parts/side-panel.tsx";
import { ChangedFields } from "./changed-fields.tsx";

interface EventDrawerProps {
  /** Undefined: the drawer is closed. */
  readonly entry: AuditEntry | undefined;
  readonly onClose: () => void;
}

/** All details of one event. */
export function EventDrawer({ entry, onClose }: EventDrawerProps) {
  if (entry === undefined) return null;
  const { at, event, severity, actor, project, target, ip_address, metadata } = entry;
  const { changed } = metadata;
  return (
    <SidePanel onClose={onClose} title={event}>
      <Stack>
        <Facts
          facts={[
            ["When", formatAbsolute(at)],
            ["Severity", severity],
            ["Who", actor],
            ["From", ip_address ?? "unknown"],
            ...(project === null ? [] : [["Project", <ProjectLink key="project" {...project} />] as const]),
            ["Target", target ?? "none"],
          ]}
        />
        {Array.isArray(changed) && <ChangedFields entry={entry} changed={changed as readonly string[]} />}
        <Stack gap="xs">
          <Title order={2}>Details</Title>
          <CodeBlock text={JSON.stringify(metadata, null, 2)} label="Details of the event" />
        </Stack>
      </Stack>
    </SidePanel>
  );
}

function ProjectLink({ uuid, name }: NonNullable<AuditEntry["project"]>) {
  return (
    <Link to="/projects/$project" params={{ project: uuid }} className="console-link">
      {name}
    </Link>
  );
}
