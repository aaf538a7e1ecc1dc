import type { ProjectType } from "../../api/types.ts";

/** In the order of display. */
export const projectTabs = [
  { to: "/projects/$project", label: "Overview", needs: "svc_get_project" },
  {
    to: "/projects/$project/endpoints",
    label: "Endpoints",
    needs: "svc_list_endpoints",
    types: ["ai_gateway", "ai_wrapper", "api_gateway"],
  },
  {
    to: "/projects/$project/playground",
    label: "Playground",
    needs: "svc_list_endpoints",
    types: ["ai_gateway", "ai_wrapper"],
  },
  { to: "/projects/$project/upstreams", label: "Upstreams", needs: "svc_list_upstreams", types: ["mcp_gateway"] },
  {
    to: "/projects/$project/connections",
    label: "OAuth connections",
    needs: "svc_list_oauth_connections",
    types: ["api_gateway"],
  },
  { to: "/projects/$project/sessions", label: "Sessions", needs: "svc_list_sessions", types: ["ai_gateway"] },
  { to: "/projects/$project/tokens", label: "Tokens", needs: "svc_list_tokens" },
  { to: "/projects/$project/issuers", label: "Issuers", needs: "svc_list_issuers" },
  { to: "/projects/$project/guardrails", label: "Guardrails", needs: "svc_get_guardrails" },
  { to: "/projects/$project/webhooks", label: "Webhooks", needs: "svc_list_webhooks" },
  { to: "/projects/$project/settings", label: "Settings", needs: "svc_update_project" },
] as const satisfies readonly ProjectTab[];

/** Whether a project of a type has the tab. */
export function isTabOf(tab: ProjectTab, type: ProjectType): boolean {
  return tab.types === undefined || tab.types.includes(type);
}

interface ProjectTab {
  readonly to: `/projects/$project${string}`;
  readonly label: string;
  /** Operation without which the tab would be empty. */
  readonly needs: string;
  /** Absent: all. */
  readonly types?: readonly ProjectType[];
}
