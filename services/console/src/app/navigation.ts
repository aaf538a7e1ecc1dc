import type { IconName } from "../parts/icon.tsx";

export interface NavigationItem {
  readonly to: "/" | "/projects" | "/providers" | "/guardrails" | "/requests" | "/audit" | "/system";
  readonly label: string;
  readonly icon: IconName;
  /** Operation without which the page would be empty. */
  readonly needs: string;
}

/** Top-level pages, in order. */
export const navigation: readonly NavigationItem[] = [
  { to: "/", label: "Overview", icon: "overview", needs: "svc_list_projects" },
  { to: "/projects", label: "Projects", icon: "project", needs: "svc_list_projects" },
  { to: "/providers", label: "Providers", icon: "provider", needs: "svc_list_providers" },
  { to: "/guardrails", label: "Guardrails", icon: "guardrail", needs: "svc_get_guardrails" },
  { to: "/requests", label: "Requests", icon: "request", needs: "svc_query_gateway_log" },
  { to: "/audit", label: "Audit", icon: "audit", needs: "svc_query_audit_log" },
  { to: "/system", label: "System", icon: "system", needs: "svc_list_projects" },
];
