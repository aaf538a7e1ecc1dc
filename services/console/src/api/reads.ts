import type { ArgumentsOf, WebhookHealth } from "./types.ts";
import { useMay, useRead, useReadAll, useReadEach, useSignedIn } from "./use-control-plane.ts";

const webhookHealthEveryMs = 30_000;

export const useProjects = () => useReadAll("svc_list_projects", {});

export const useProject = (project: string) => useRead("svc_get_project", { project });

export const useTokens = (project: string) => useReadAll("svc_list_tokens", { project });

export const useEndpoints = (project: string) => useReadAll("svc_list_endpoints", { project });

export const useWebhooks = (project: string) => useReadAll("svc_list_webhooks", { project });

const useWebhookHealthOptions = () => ({
  enabled: useMay("svc_get_webhook_health"),
  refetchIntervalMs: webhookHealthEveryMs,
});

/** Health of one project's webhooks. */
export const useWebhookHealth = (project: string) =>
  useReadAll("svc_get_webhook_health", { project }, useWebhookHealthOptions());

/** Failing webhooks of all projects that the person may see. Administrators of named projects must name one in each call. */
export function useFailingWebhooks(): readonly WebhookHealth[] {
  const { projects } = useSignedIn().session;
  const sets = projects?.map((project) => ({ failing: true, project })) ?? [{ failing: true }];
  const pages = useReadEach("svc_get_webhook_health", sets, useWebhookHealthOptions());
  return pages.flatMap(({ webhooks }) => webhooks);
}

const deliveriesEveryMs = 5_000;

export const useDeliveries = (args: ArgumentsOf<"svc_list_deliveries">) =>
  useRead("svc_list_deliveries", args, {
    refetchIntervalMs: deliveriesEveryMs,
  });

export const useUpstreams = (project: string) => useReadAll("svc_list_upstreams", { project });

export const useOAuthConnections = (project: string) =>
  useReadAll("svc_list_oauth_connections", {
    project,
  });

export const useProviders = (enabled = true) => useReadAll("svc_list_providers", {}, { enabled });

export const useCredentials = () => useReadAll("svc_list_credentials", {});

export const useAdminKeys = () => useReadAll("svc_list_admin_keys", {});

export const useConsoleSessions = () => useReadAll("svc_list_console_sessions", {});

export const useSessions = (project: string) => useReadAll("svc_list_sessions", { project });

export const useUpstreamTools = (upstreamId: number) =>
  useReadAll("svc_list_upstream_tools", {
    upstream_id: upstreamId,
  });

export const useIssuers = (project: string) => useReadAll("svc_list_issuers", { project });
