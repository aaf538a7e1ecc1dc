import { useMemo } from "react";
import { useProjects } from "./reads.ts";
import { useMay, useReadEach } from "./use-control-plane.ts";

/** Projects whose endpoints are read, one call each. */
const projectsMax = 25;

export interface Names {
  /** By uuid. */
  readonly projects: ReadonlyMap<string, string>;
  /** Whether everything has been read; a missing endpoint must then be read separately. */
  readonly isComplete: boolean;
  /** Slugs by uuid. */
  readonly endpoints: ReadonlyMap<string, { readonly slug: string; readonly project: string }>;
}

/** An endpoint's slug, preceded by its project's name where several projects are shown; undefined where unknown. */
export function nameEndpoint(
  { projects, endpoints }: Pick<Names, "projects" | "endpoints">,
  uuid: string,
  isOfOneProject: boolean,
): string | undefined {
  const known = endpoints.get(uuid);
  if (known === undefined) return undefined;
  const project = projects.get(known.project);
  return isOfOneProject || project === undefined ? known.slug : `${project} / ${known.slug}`;
}

/**
 * Known names of projects and their endpoints.
 * @param of uuids of the projects whose endpoints are named; absent: all
 */
export function useNames(of?: readonly string[]): Names {
  const projects = useProjects().data?.projects;
  const named = (projects ?? [])
    .filter(({ uuid, project_type }) => project_type !== "mcp_gateway" && (of === undefined || of.includes(uuid)))
    .slice(0, projectsMax);
  const sets = named.map(({ uuid }) => ({ project: uuid }));
  const setCount = sets.length;
  const pages = useReadEach("svc_list_endpoints", sets, { enabled: useMay("svc_list_endpoints") });
  return useMemo(() => {
    const names = new Map((projects ?? []).map(({ uuid, name }) => [uuid, name] as const));
    const endpoints = pages.flatMap((page) =>
      page.endpoints.map(({ uuid, slug, project }) => [uuid, { slug, project }] as const),
    );
    const isComplete = projects !== undefined && pages.length === setCount;
    return { projects: names, isComplete, endpoints: new Map(endpoints) };
  }, [projects, pages, setCount]);
}
