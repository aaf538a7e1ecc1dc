import { Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { Link, useParams } from "@tanstack/react-router";
import { useEndpoints, useProject } from "../../api/reads.ts";
import type { Project } from "../../api/types.ts";
import { useMay, useRead } from "../../api/use-control-plane.ts";
import { CodeBlock } from "../../parts/code-block.tsx";
import { CopyText } from "../../parts/copy-text.tsx";
import { Facts } from "../../parts/facts.tsx";
import { formatCount } from "../../parts/format.ts";
import { LastDay } from "../../parts/last-day.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { baseUrlOf } from "../../parts/snippets.ts";
import { Time } from "../../parts/time.tsx";
import { UsageTable } from "../../parts/usage-table.tsx";
import { Waiting } from "../../parts/waiting.tsx";
import { Budgets } from "./budgets.tsx";
import { FirstSteps, useFirstSteps } from "./first-steps.tsx";
import { Limits } from "./limits.tsx";

/** A project's first steps, facts, addresses and usage of this month. */
export function OverviewTab() {
  const { project: uuid } = useParams({ from: "/projects/$project" });
  const query = useProject(uuid);
  const { data: project } = query;
  const steps = useFirstSteps(uuid, project?.project_type);
  // Their height is known only once loaded, and nothing below may jump.
  if (project !== undefined && steps === undefined) return <Waiting />;
  return (
    <Stack mt="md">
      {steps !== undefined && <FirstSteps project={uuid} steps={steps} />}
      <QueryView query={query}>
        {(found) => (
          <>
            <Summary project={found} />
            <Limits project={found} />
          </>
        )}
      </QueryView>
      <LastDay project={uuid} />
      {/* Last, since their height is known only once loaded, and nothing below may jump. */}
      {project !== undefined && isAi(project) && <ThisMonth project={uuid} />}
    </Stack>
  );
}

/** Only model calls have tokens and cost. */
function isAi({ project_type: type }: Project): boolean {
  return type === "ai_gateway" || type === "ai_wrapper";
}

/** Budgets and usage of this month, with the right to read them. */
function ThisMonth({ project }: { readonly project: string }) {
  const maySeeUsage = useMay("svc_get_usage");
  const mayListEndpoints = useMay("svc_list_endpoints");
  if (!maySeeUsage) return null;
  return mayListEndpoints ? <BudgetsAndUsage project={project} /> : <Usage project={project} />;
}

/** Loaded together: the height of the budgets depends on the endpoints, and the usage below must not jump. */
function BudgetsAndUsage({ project }: { readonly project: string }) {
  const lists = [useEndpoints(project), useRead("svc_get_usage", { project })];
  if (lists.some(({ isPending }) => isPending)) return <Waiting />;
  return (
    <>
      <Budgets project={project} />
      <Usage project={project} />
    </>
  );
}

function Usage({ project }: { readonly project: string }) {
  return (
    <Stack gap="xs">
      <Title order={2}>This month</Title>
      <UsageTable project={project} />
    </Stack>
  );
}

function Summary({ project }: { readonly project: Project }) {
  const { uuid, rate_limit_per_minute, rate_limit_per_hour, created_at } = project;
  const limit = (value: number | null) => (value === null ? "unlimited" : `${formatCount(value)} requests`);
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      <Paper className="console-panel" p="md">
        <Facts
          facts={[
            ["UUID", <CopyText key="uuid" text={uuid} label="Copy the whole uuid of the project" />],
            ["Per minute", limit(rate_limit_per_minute)],
            ["Per hour", limit(rate_limit_per_hour)],
            ["Created", <Time key="created" at={created_at} />],
          ]}
        />
      </Paper>
      <Paper className="console-panel" p="md">
        <Text size="sm" mb="xs">
          Clients call this address with one of its{" "}
          <Link to="/projects/$project/tokens" params={{ project: uuid }} className="console-link">
            tokens
          </Link>
          :
        </Text>
        <CodeBlock text={baseUrlOf(project)} label="Address for clients" />
      </Paper>
    </SimpleGrid>
  );
}
