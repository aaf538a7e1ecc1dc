import { useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import { useProjects, useProviders } from "../../api/reads.ts";
import type { ListName, Project, ProjectType, Provider, ResultOf } from "../../api/types.ts";
import { operationKey, useMay, useOperations, useSignedIn } from "../../api/use-control-plane.ts";
import { projectTypeLabels } from "../../parts/project-types.ts";
import { visibleName } from "../../parts/visible-name.ts";

/** A destination of the search. */
export interface SearchEntry {
  readonly group: string;
  readonly label: string;
  readonly description: string;
  /** Path below /console. */
  readonly href: string;
}

/** Projects whose items are searched; each costs one to three calls a minute. */
const searchedProjectsMax = 25;
const partsFreshMs = 60_000;

/** A list of a project. */
interface PartList {
  readonly operation: ListName;
  /** Absent: all. */
  readonly types?: readonly ProjectType[];
  readonly toEntries: (page: object, project: Project) => readonly SearchEntry[];
}

/** A list whose page has the type of its operation's result. */
function partList<Name extends ListName>(
  list: Omit<PartList, "operation" | "toEntries"> & {
    readonly operation: Name;
    readonly toEntries: (page: ResultOf<Name>, project: Project) => readonly SearchEntry[];
  },
): PartList {
  // Safe cast: the page comes from this operation.
  return { ...list, toEntries: (page, project) => list.toEntries(page as ResultOf<Name>, project) };
}

const lists: readonly PartList[] = [
  partList({
    operation: "svc_list_endpoints",
    types: ["ai_gateway", "ai_wrapper", "api_gateway"],
    toEntries: (page, { uuid, name }) =>
      page.endpoints.map(({ uuid: endpoint, slug }) => ({
        group: "Endpoints",
        label: slug,
        description: name,
        href: `/projects/${uuid}/endpoints/${endpoint}`,
      })),
  }),
  partList({
    operation: "svc_list_tokens",
    toEntries: (page, { uuid, name }) =>
      page.tokens.map((token) => ({
        group: "Tokens",
        label: visibleName(token.name),
        description: name,
        href: `/projects/${uuid}/tokens/${token.id}`,
      })),
  }),
  partList({
    operation: "svc_list_webhooks",
    toEntries: (page, { uuid, name }) =>
      page.webhooks.map((webhook) => ({
        group: "Webhooks",
        label: visibleName(webhook.name),
        description: `${name}: ${webhook.url}`,
        href: `/projects/${uuid}/webhooks/${webhook.id}`,
      })),
  }),
  partList({
    operation: "svc_list_upstreams",
    types: ["mcp_gateway"],
    toEntries: (page, { uuid, name }) =>
      page.upstreams.map(({ id, prefix, url }) => ({
        group: "Upstreams",
        label: prefix,
        description: `${name}: ${url}`,
        href: `/projects/${uuid}/upstreams?upstream=${id}`,
      })),
  }),
];

const none: readonly never[] = [];

/** Projects and providers, and the items of the first projects. */
export function useSearchEntries(): readonly SearchEntry[] {
  const projects = useProjects().data?.projects ?? none;
  const providers = useProviders(useMay("svc_list_providers")).data?.providers ?? none;
  const parts = useParts(projects);
  return useMemo(
    () => [...projects.map(fromProject), ...providers.map(fromProvider), ...parts],
    [projects, providers, parts],
  );
}

function useParts(projects: readonly Project[]): readonly SearchEntry[] {
  const { controlPlane } = useSignedIn();
  const operations = useOperations();
  const asked = projects.slice(0, searchedProjectsMax).flatMap((project) => {
    const fitting = lists.filter(({ operation, types }) => {
      return operations.has(operation) && (types === undefined || types.includes(project.project_type));
    });
    return fitting.map((list) => ({ ...list, project }));
  });
  return useQueries({
    queries: asked.map(({ operation, project, toEntries }) => ({
      queryKey: [...operationKey(operation, { project: project.uuid }), "all"],
      queryFn: async () => await controlPlane.callAll(operation, { project: project.uuid }),
      staleTime: partsFreshMs,
      select: (page: object) => toEntries(page, project),
    })),
    combine: (results) => results.flatMap(({ data }) => data ?? []),
  });
}

function fromProject({ uuid, name, project_type }: Project): SearchEntry {
  return {
    group: "Projects",
    label: visibleName(name),
    description: projectTypeLabels[project_type],
    href: `/projects/${uuid}`,
  };
}

function fromProvider({ name, kind }: Provider): SearchEntry {
  return { group: "Providers", label: name, description: kind, href: "/providers" };
}
