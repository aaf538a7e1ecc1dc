import { Group } from "@mantine/core";
import { Link, Outlet, useLocation, useParams } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useProject } from "../../api/reads.ts";
import type { ProjectType } from "../../api/types.ts";
import { useOperations } from "../../api/use-control-plane.ts";
import { CopyText } from "../../parts/copy-text.tsx";
import { shorten } from "../../parts/format.ts";
import { PageHeader } from "../../parts/page-header.tsx";
import { projectTypeLabels } from "../../parts/project-types.ts";
import { QueryView } from "../../parts/query-view.tsx";
import { visibleName } from "../../parts/visible-name.ts";
import { isTabOf, projectTabs } from "./project-tabs.ts";

/** One project: its name, and its parts as tabs. */
export function ProjectPage() {
  const { project: uuid } = useParams({ from: "/projects/$project" });
  const query = useProject(uuid);
  const part = usePart(uuid);
  // The error is shown below the heading.
  if (query.data === undefined && query.error !== null) {
    return (
      <>
        <PageHeader title="Project" />
        <QueryView query={query}>{() => null}</QueryView>
      </>
    );
  }
  return (
    <QueryView query={query}>
      {({ name, project_type }) => (
        <>
          <PageHeader
            title={visibleName(name)}
            part={part}
            description={
              <Group gap="xs">
                {projectTypeLabels[project_type]}
                <CopyText text={uuid} shown={shorten(uuid)} label="Copy the project's uuid" />
              </Group>
            }
          />
          <ProjectTabs uuid={uuid} type={project_type} />
          <Outlet />
        </>
      )}
    </QueryView>
  );
}

/** The open tab with the id of its open item, whose page shows the name. */
function usePart(uuid: string): string | undefined {
  const { pathname } = useLocation();
  const [tab, id] = pathname.slice(`/projects/${uuid}/`.length).split("/");
  const label = projectTabs.find(({ to }) => to.endsWith(`/${tab}`))?.label;
  return label === undefined || id === undefined ? label : `${shorten(id)} · ${label}`;
}

function ProjectTabs({ uuid, type }: { readonly uuid: string; readonly type: ProjectType }) {
  const operations = useOperations();
  const shown = projectTabs.filter((tab) => operations.has(tab.needs) && isTabOf(tab, type));
  const { pathname } = useLocation();
  const tabs = useRef<HTMLElement>(null);
  // On a phone the tabs scroll, and the open one may be out of view.
  useEffect(() => {
    const { current: bar } = tabs;
    const links = [...(bar?.querySelectorAll("a") ?? [])];
    const open = links.findLast((link) => `${pathname}/`.includes(`${link.pathname.replace("/console", "")}/`));
    // Not `scrollIntoView`, after which Tab would start behind the link and skip earlier elements.
    if (bar !== null && open !== undefined) {
      bar.scrollLeft = open.offsetLeft - bar.offsetLeft - (bar.clientWidth - open.offsetWidth) / 2;
    }
  }, [pathname]);
  return (
    <nav ref={tabs} className="console-tabs" aria-label="Parts of the project">
      {shown.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          params={{ project: uuid }}
          activeOptions={{ exact: to === "/projects/$project", includeSearch: false }}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
