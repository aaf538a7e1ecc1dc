import { Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useProjects } from "../../api/reads.ts";
import type { ProviderHealth, Usage } from "../../api/types.ts";
import { useMay, useRead } from "../../api/use-control-plane.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { formatCount, formatMoney } from "../../parts/format.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { Status } from "../../parts/status.tsx";
import { UsageTable } from "../../parts/usage-table.tsx";

/** Whether the gateway is well, and what it was used for this month. */
export function OverviewPage() {
  const maySeeUsage = useMay("svc_get_usage");
  const maySeeHealth = useMay("svc_get_provider_health");
  const { data } = useProjects();
  return (
    <Stack>
      <PageHeader title="Overview" />
      {data?.projects.length === 0 && <FirstSteps />}
      {maySeeHealth && <Problems />}
      {maySeeUsage && (
        <>
          <Numbers />
          <Title order={2}>Endpoints this month</Title>
          <UsageTable />
        </>
      )}
    </Stack>
  );
}

function FirstSteps() {
  return (
    <EmptyState title="Nothing is set up yet">
      First a{" "}
      <Link to="/providers" className="console-link">
        provider
      </Link>{" "}
      with a credential, then a{" "}
      <Link to="/projects" className="console-link">
        project
      </Link>{" "}
      with an endpoint and a token.
    </EmptyState>
  );
}

function Problems() {
  const query = useRead<{ readonly providers: readonly ProviderHealth[] }>("svc_get_provider_health");
  const broken = (query.data?.providers ?? []).filter(({ state, enabled }) => enabled && state !== "closed");
  if (broken.length === 0) return null;
  return (
    <Paper className="console-panel" p="md">
      <Stack gap="xs">
        <Title order={2}>Needs a look</Title>
        {broken.map(({ provider, credential, last_failure }) => (
          <Text size="sm" key={`${provider} ${credential ?? ""}`} component="div">
            <Status kind="bad">Not answering</Status>{" "}
            <Link to="/providers" className="console-link">
              {provider}
            </Link>{" "}
            {last_failure}
          </Text>
        ))}
      </Stack>
    </Paper>
  );
}

function Numbers() {
  return (
    <QueryView query={useRead<Usage>("svc_get_usage")}>
      {({ month, total }) => (
        <SimpleGrid cols={{ base: 2, md: 4 }}>
          <Figure label={`Requests in ${month}`} value={formatCount(total.requests)} />
          <Figure label="Prompt tokens" value={formatCount(total.prompt_tokens)} />
          <Figure label="Completion tokens" value={formatCount(total.completion_tokens)} />
          <Figure label="Cost" value={formatMoney(total.cost_usd)} />
        </SimpleGrid>
      )}
    </QueryView>
  );
}

function Figure({ label, value }: { readonly label: string; readonly value: string }) {
  return (
    <Paper className="console-panel" p="md">
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      <Text fz={24} fw={600}>
        {value}
      </Text>
    </Paper>
  );
}
