import type { IconName } from "../parts/icon.tsx";

export interface NavigationItem {
  readonly to: "/" | "/projects";
  readonly label: string;
  readonly icon: IconName;
  /** The operation without which the page would be empty. */
  readonly needs: string;
}

/** The first level, from the top. */
export const navigation: readonly NavigationItem[] = [
  { to: "/", label: "Overview", icon: "overview", needs: "svc_list_projects" },
  { to: "/projects", label: "Projects", icon: "project", needs: "svc_list_projects" },
];
