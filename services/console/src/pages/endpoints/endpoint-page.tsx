import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useEndpoints, useProject } from "../../api/reads.ts";
import type { Endpoint, Project, Target } from "../../api/types.ts";
import { useMay } from "../../api/use-control-plane.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { formatMoney } from "../../parts/format.ts";
import { LastDay } from "../../parts/last-day.tsx";
import { NotInProject } from "../../parts/not-in-project.tsx";
import { promptVariables } from "../../parts/prompt-variables.ts";
import { QueryView } from "../../parts/query-view.tsx";
import { useWindowTitle } from "../../parts/use-window-title.ts";
import { Budgets } from "../project/budgets.tsx";
import { ActiveSwitch, EndpointActions } from "./endpoint-actions.tsx";
import { EndpointDrawer, type Opened } from "./endpoint-drawer.tsx";
import { EndpointFacts } from "./endpoint-facts.tsx";
import { TokenCount } from "./prompt-field.tsx";
import { TrySample } from "./schema-sample-field.tsx";
import { TargetHealth } from "./target-health.tsx";

/** Page of one endpoint: its settings, health and use. */
export function EndpointPage() {
  const { project: uuid, endpoint: id } = useParams({ from: "/projects/$project/endpoints/$endpoint" });
  const { data: project } = useProject(uuid);
  const [opened, setOpened] = useState<Opened>();
  return (
    <Stack mt="md">
      <QueryView query={useEndpoints(uuid)}>
        {({ endpoints }) => {
          const endpoint = endpoints.find((each) => each.uuid === id);
          if (endpoint === undefined) return <NotInProject kind="endpoint" project={uuid} />;
          return project !== undefined && <EndpointView {...{ endpoint, project }} onOpen={setOpened} />;
        }}
      </QueryView>
      {opened !== undefined && project !== undefined && (
        <EndpointDrawer opened={opened} project={project} onClose={() => setOpened(undefined)} />
      )}
    </Stack>
  );
}

interface EndpointViewProps {
  readonly endpoint: Endpoint;
  readonly project: Project;
  readonly onOpen: (opened: Opened) => void;
}

function EndpointView({ endpoint, project, onOpen }: EndpointViewProps) {
  const { uuid, slug, description, targets = [], system_prompt: prompt, input_schema, output_schema } = endpoint;
  const maySeeUsage = useMay("svc_get_usage");
  useWindowTitle(slug, "Endpoints", project.name);
  return (
    <>
      <Paper className="console-panel" p="md">
        <Stack gap="sm">
          <Group justify="space-between">
            <Group gap="sm">
              <Title order={2}>{slug}</Title>
              <ActiveSwitch endpoint={endpoint} />
            </Group>
            <EndpointActions
              endpoint={endpoint}
              onEdit={() => onOpen({ kind: "edit", endpoint })}
              onTry={() => onOpen({ kind: "try", endpoint })}
            />
          </Group>
          {description !== null && <Text size="sm">{description}</Text>}
          <EndpointFacts {...{ endpoint, project }} />
        </Stack>
      </Paper>
      {targets.length > 0 && <Targets targets={targets} />}
      {maySeeUsage && <Budgets project={project.uuid} endpoint={uuid} />}
      <LastDay project={project.uuid} of={{ endpoint: uuid }} />
      {typeof prompt === "string" && <Prompt project={project.uuid} text={prompt} />}
      <Schema title="Input schema" project={project.uuid} schema={input_schema} />
      <Schema title="Output schema" project={project.uuid} schema={output_schema} />
    </>
  );
}

interface Placed {
  readonly place: number;
  readonly target: Target;
}

const targetColumns: readonly Column<Placed>[] = [
  { id: "place", header: "Order", cell: ({ place }) => place },
  { id: "target", header: "Target", cell: ({ target: { provider, model } }) => `${provider}/${model}` },
  { id: "health", header: "Health", cell: ({ target }) => <TargetHealth target={target} /> },
  { id: "retries", header: "Retries", isEnd: true, cell: ({ target: { retries } }) => retries ?? "default" },
  { id: "price", header: "Price per million tokens", isEnd: true, cell: ({ target }) => priceText(target) },
];

function priceText({ input_price_per_million: input, output_price_per_million: output }: Target): string {
  if (input === null && output === null) return "list price of the model";
  const text = (price: number | null) => (price === null ? "list price" : formatMoney(price));
  return `${text(input)} in, ${text(output)} out`;
}

function Targets({ targets }: { readonly targets: readonly Target[] }) {
  const rows = targets.map((target, index) => ({ place: index + 1, target }));
  return (
    <Stack gap="xs">
      <Title order={2}>Targets</Title>
      <DataTable label="Targets" columns={targetColumns} rows={rows} rowKey={({ place }) => String(place)} />
    </Stack>
  );
}

function Prompt({ project, text }: { readonly project: string; readonly text: string }) {
  const variables = promptVariables(text);
  return (
    <Stack gap="xs">
      <Title order={2}>System prompt</Title>
      <CodeBlock text={text} label="System prompt" />
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          {variables.length === 0 ? "No variables." : `Variables: ${variables.join(", ")}`}
        </Text>
        <TokenCount project={project} text={text} />
      </Group>
    </Stack>
  );
}

interface SchemaProps {
  readonly title: string;
  readonly project: string;
  readonly schema: unknown;
}

function Schema({ title, project, schema }: SchemaProps) {
  if (schema === null || schema === undefined) return null;
  return (
    <Stack gap="xs">
      <Title order={2}>{title}</Title>
      <CodeBlock text={JSON.stringify(schema, null, 2)} label={title} />
      <TrySample label={title} project={project} schema={schema} />
    </Stack>
  );
}
