import { Button, Group, NativeSelect, Stack, Title } from "@mantine/core";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { type MetricRange, toPeriods, toSpanHours, toZoom } from "../../api/metrics.ts";
import { useProjects } from "../../api/reads.ts";
import type { OverviewSearch } from "../../api/search.ts";
import { useMay, useSignedIn } from "../../api/use-control-plane.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ProjectFilter } from "../../parts/filter-bar.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { UsageTable } from "../../parts/usage-table.tsx";
import { useNow } from "../../parts/use-now.ts";
import { MetricsView } from "./metrics-view.tsx";
import { Problems } from "./problems.tsx";
import { RangeFields } from "./range-fields.tsx";
import type { Range } from "./read-range.ts";

const from = "/";
const spans = [
  { value: "1", label: "Last hour" },
  { value: "24", label: "Last day" },
  { value: "168", label: "Last week" },
  { value: "720", label: "Last 30 days" },
  { value: "range", label: "Range from … to …" },
];

/** Health and traffic of the gateway. */
export function OverviewPage() {
  const may = {
    usage: useMay("svc_get_usage"),
    metrics: useMay("svc_query_metrics"),
  };
  const { data } = useProjects();
  return (
    <Stack>
      <PageHeader title="Overview" />
      {data?.projects.length === 0 && <FirstSteps />}
      <Problems />
      {may.metrics && <Metrics />}
      {may.usage && (
        <Stack gap="xs">
          <Title order={2}>Endpoints this month</Title>
          <UsageTable />
        </Stack>
      )}
    </Stack>
  );
}

function FirstSteps() {
  return (
    <EmptyState title="Nothing is set up yet" command={{ operation: "svc_create_provider" }}>
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

function Metrics() {
  const { project, hours, since, until, by = "project" } = useSearch({ from });
  const { session } = useSignedIn();
  const now = useNow();
  const navigate = useNavigate({ from });
  const apply = (
    change: { readonly [Name in keyof OverviewSearch]: OverviewSearch[Name] | undefined },
    isStep = false,
  ) => void navigate({ search: (before) => withoutUndefined({ ...before, ...change }), replace: !isStep });
  const span = toSpanHours(hours);
  const zoom = toZoom(since, until, now);
  // Administrators of named projects may not read sums of all projects.
  const shown = project ?? session.projects?.[0];
  return (
    <>
      <Group align="flex-end" gap="sm">
        <NativeSelect
          label="Time"
          data={spans}
          value={zoom === undefined ? String(span) : "range"}
          onChange={({ currentTarget: { value } }) => {
            if (value === "range") apply(rangeOf(toPeriods(span, now).now), true);
            else apply({ hours: Number(value), since: undefined, until: undefined });
          }}
        />
        {zoom !== undefined && <RangeFields since={since} until={until} onChange={(range) => apply(range, true)} />}
        <ProjectFilter project={shown} onChange={(next) => apply({ project: next })} />
        {zoom !== undefined && (
          <Button variant="default" onClick={() => apply({ since: undefined, until: undefined })}>
            Show the whole {wholeOf[span]}
          </Button>
        )}
      </Group>
      <MetricsView
        periods={zoom ?? toPeriods(span, now)}
        time={zoom === undefined ? { hours: span } : { since: zoom.now.since, until: zoom.now.until }}
        project={shown}
        by={by}
        onGroup={(next) => apply({ by: next })}
        onZoom={(range) => apply(range, true)}
      />
    </>
  );
}

function rangeOf({ since, until }: MetricRange): Range {
  return { since, until };
}

const wholeOf = { 1: "hour", 24: "day", 168: "week", 720: "month" } as const;

function withoutUndefined(search: {
  readonly [Name in keyof OverviewSearch]: OverviewSearch[Name] | undefined;
}): OverviewSearch {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}
