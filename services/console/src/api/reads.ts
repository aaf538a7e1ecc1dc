import type { Arguments } from "./control-plane.ts";
import type {
  AdminKey,
  ChatSession,
  ConsoleSession,
  Credential,
  Endpoint,
  Issuer,
  OAuthConnection,
  Page,
  Project,
  Provider,
  Token,
  Upstream,
  UpstreamTool,
} from "./types.ts";
import type { Delivery, Webhook, WebhookHealth } from "./webhooks.ts";
import { useMay, useRead, useReadAll, useReadEach, useSignedIn } from "./use-control-plane.ts";

const webhookHealthEveryMs = 30_000;

export const useProjects = () => useReadAll<Page & { readonly projects: readonly Project[] }>("svc_list_projects");

export const useProject = (project: string) => useRead<Project>("svc_get_project", { project });

export const useTokens = (project: string) =>
  useReadAll<Page & { readonly tokens: readonly Token[] }>("svc_list_tokens", { project });

export const useEndpoints = (project: string) =>
  useReadAll<Page & { readonly endpoints: readonly Endpoint[] }>("svc_list_endpoints", { project });

export const useWebhooks = (project: string) =>
  useReadAll<Page & { readonly webhooks: readonly Webhook[] }>("svc_list_webhooks", { project });

type WebhookHealthPage = Page & { readonly webhooks: readonly WebhookHealth[] };

const useWebhookHealthOptions = () => ({
  enabled: useMay("svc_get_webhook_health"),
  refetchIntervalMs: webhookHealthEveryMs,
});

/** Of one project's webhooks. */
export const useWebhookHealth = (project: string) =>
  useReadAll<WebhookHealthPage>("svc_get_webhook_health", { project }, useWebhookHealthOptions());

/** Webhooks that fail now, of all projects that the person may see. Who is confined to some must name one in each call. */
export function useFailingWebhooks(): readonly WebhookHealth[] {
  const { projects } = useSignedIn().session;
  const sets = projects?.map((project) => ({ failing: true, project })) ?? [{ failing: true }];
  const pages = useReadEach<WebhookHealthPage>("svc_get_webhook_health", sets, useWebhookHealthOptions());
  return pages.flatMap(({ webhooks }) => webhooks);
}

const deliveriesEveryMs = 5_000;

export const useDeliveries = (args: Arguments) =>
  useRead<Page & { readonly deliveries: readonly Delivery[] }>("svc_list_deliveries", args, {
    refetchIntervalMs: deliveriesEveryMs,
  });

export const useUpstreams = (project: string) =>
  useReadAll<Page & { readonly upstreams: readonly Upstream[] }>("svc_list_upstreams", { project });

export const useOAuthConnections = (project: string) =>
  useReadAll<Page & { readonly oauth_connections: readonly OAuthConnection[] }>("svc_list_oauth_connections", {
    project,
  });

export const useProviders = (enabled = true) =>
  useReadAll<Page & { readonly providers: readonly Provider[] }>("svc_list_providers", {}, { enabled });

export const useCredentials = () =>
  useReadAll<Page & { readonly credentials: readonly Credential[] }>("svc_list_credentials");

export const useAdminKeys = () =>
  useReadAll<Page & { readonly admin_keys: readonly AdminKey[] }>("svc_list_admin_keys");

export const useConsoleSessions = () =>
  useReadAll<Page & { readonly console_sessions: readonly ConsoleSession[] }>("svc_list_console_sessions");

export const useSessions = (project: string) =>
  useReadAll<Page & { readonly sessions: readonly ChatSession[] }>("svc_list_sessions", { project });

export const useUpstreamTools = (upstreamId: number) =>
  useReadAll<Page & { readonly tools: readonly UpstreamTool[] }>("svc_list_upstream_tools", {
    upstream_id: upstreamId,
  });

export const useIssuers = (project: string) =>
  useReadAll<Page & { readonly issuers: readonly Issuer[] }>("svc_list_issuers", { project });
