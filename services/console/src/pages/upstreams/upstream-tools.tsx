import { Stack, Text, Title } from "@mantine/core";
import { useContext, useMemo, useState } from "react";
import { useProject, useUpstreamTools } from "../../api/reads.ts";
import type { Upstream, UpstreamTool } from "../../api/types.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { PanelContext, useLossQuestion } from "../../parts/leave-guard.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { RowButton } from "../../parts/row-button.tsx";
import { Status } from "../../parts/status.tsx";
import { ToolCall } from "./tool-call.tsx";

interface UpstreamToolsProps {
  readonly upstream: Upstream;
}

/** Tools of an upstream with their approved definitions and a form to call each. */
export function UpstreamTools({ upstream: { id, prefix, project: uuid } }: UpstreamToolsProps) {
  const [called, setCalled] = useState<UpstreamTool>();
  const { data: project } = useProject(uuid);
  const { ask, question } = useLossQuestion({
    title: "Discard the form?",
    leave: "Discard",
    panel: useContext(PanelContext),
  });
  const shownName = called?.name;
  const columns = useMemo(() => {
    // Choosing the shown tool again keeps its form.
    return columnsWith((tool) => (tool.name === shownName ? setCalled(tool) : ask(() => setCalled(tool))));
  }, [ask, shownName]);
  return (
    <Stack gap="xs">
      <Title order={2}>Tools</Title>
      <QueryView query={useUpstreamTools(id)}>
        {({ tools }) =>
          tools.length === 0 ? (
            <Text size="sm" c="dimmed">
              None were listed yet.
            </Text>
          ) : (
            <DataTable label={`Tools of ${prefix}`} columns={columns} rows={tools} rowKey={({ name }) => name} />
          )
        }
      </QueryView>
      {question}
      {called !== undefined && project !== undefined && (
        <ToolCall
          // A changed schema needs a new form.
          key={`${called.name} ${JSON.stringify((called.changed_definition ?? called.definition).inputSchema)}`}
          project={project}
          name={`${prefix}__${called.name}`}
          definition={called.changed_definition ?? called.definition}
        />
      )}
    </Stack>
  );
}

function columnsWith(onCall: (tool: UpstreamTool) => void): readonly Column<UpstreamTool>[] {
  return [
    {
      id: "name",
      header: "Name",
      sort: ({ name }) => name,
      cell: ({ name, changed_definition }) => (
        <>
          {name} {changed_definition !== null && <Status kind="warning">Changed</Status>}
        </>
      ),
    },
    {
      id: "description",
      header: "Description",
      sort: ({ definition }) => definition.description,
      cell: ({ definition: { description } }) => (
        <Text size="xs" lineClamp={2} title={description}>
          {description}
        </Text>
      ),
    },
    {
      id: "call",
      header: "",
      isEnd: true,
      cell: (tool) => (
        <RowButton onClick={() => onCall(tool)} aria-label={`Call ${tool.name}`}>
          Call
        </RowButton>
      ),
    },
  ];
}
