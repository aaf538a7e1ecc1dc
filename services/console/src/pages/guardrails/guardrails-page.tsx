import { Group, Stack, Text } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { useEndpoints, useProjects } from "../../api/reads.ts";
import type { Project } from "../../api/types.ts";
import { useMay } from "../../api/use-control-plane.ts";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ProjectFilter } from "../../parts/filter-bar.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { QueryView } from "../../parts/query-view.tsx";
import { FindingsChart } from "./findings-chart.tsx";
import { FindingsPanel } from "./findings-panel.tsx";
import { type PolicyOwner, PolicyTable, subjectOf } from "./policy-table.tsx";
import { TryOut } from "./try-out.tsx";

const from = "/guardrails";

/** Policies of all projects; for one project, those of its endpoints, their findings, and a text to try them on. */
export function GuardrailsPage() {
  const { project, endpoint } = useSearch({ from });
  const navigate = useNavigate({ from });
  return (
    <Stack>
      <PageHeader title="Guardrails" description="Which policy applies where, and what it has found." />
      <Group align="flex-end">
        <ProjectFilter
          project={project}
          onChange={(next) => void navigate({ search: next === undefined ? {} : { project: next } })}
        />
      </Group>
      <QueryView query={useProjects()}>
        {({ projects }) => {
          if (projects.length === 0) return <NoProjects />;
          const chosen = projects.find(({ uuid }) => uuid === project);
          if (chosen === undefined) return <AllPolicies projects={projects} />;
          return <PoliciesOf key={chosen.uuid} project={chosen} endpoint={endpoint} />;
        }}
      </QueryView>
    </Stack>
  );
}

function NoProjects() {
  return (
    <EmptyState title="No projects yet" command={{ operation: "svc_create_project" }}>
      A project has a policy, and each of its endpoints may have another. Create a project under Projects.
    </EmptyState>
  );
}

function AllPolicies({ projects }: { readonly projects: readonly Project[] }) {
  const owners = useMemo(() => projects.map(({ uuid, name }) => ({ name, project: uuid })), [projects]);
  return (
    <>
      <PolicyTable owners={owners} shown={undefined} />
      <Text size="sm" c="dimmed">
        Choose a project to see the policies of its endpoints and their findings, and to try them on a text.
      </Text>
    </>
  );
}

interface PoliciesOfProps {
  readonly project: Project;
  /** A uuid. */
  readonly endpoint: string | undefined;
}

function PoliciesOf({ project: { uuid, name }, endpoint }: PoliciesOfProps) {
  const mayTry = useMay("svc_test_guardrails");
  const mayList = useMay("svc_list_findings");
  const subject = useMemo(
    () => subjectOf({ project: uuid, ...(endpoint !== undefined && { endpoint }) }),
    [uuid, endpoint],
  );
  return (
    <>
      <QueryView query={useEndpoints(uuid)}>
        {({ endpoints }) => {
          const own = endpoints.map(({ uuid: id, slug }): PolicyOwner => ({
            name: `Endpoint ${slug}`,
            project: uuid,
            endpoint: id,
          }));
          const owners = [{ name: `${name}, the whole project`, project: uuid }, ...own];
          return <PolicyTable owners={owners} shown={endpoint ?? uuid} />;
        }}
      </QueryView>
      {mayTry && <TryOut key={`try ${endpoint ?? ""}`} subject={subject} />}
      <FindingsChart project={uuid} subject={subject} />
      {mayList && <FindingsPanel key={endpoint ?? ""} subject={subject} />}
    </>
  );
}
