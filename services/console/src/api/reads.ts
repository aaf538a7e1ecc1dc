import type { Arguments } from "./control-plane.ts";
import type {
  AdminKey,
  ConsoleSession,
  Credential,
  Delivery,
  Endpoint,
  Issuer,
  OAuthConnection,
  Page,
  Project,
  Provider,
  Token,
  Upstream,
  Webhook,
} from "./types.ts";
import { useRead } from "./use-control-plane.ts";

/** Most rows that an operation gives at once. */
export const rowsMax = 200;
const whole = { limit: rowsMax };

export const useProjects = () => useRead<Page & { readonly projects: readonly Project[] }>("svc_list_projects", whole);

export const useProject = (project: string) => useRead<Project>("svc_get_project", { project });

export const useTokens = (project: string) =>
  useRead<Page & { readonly tokens: readonly Token[] }>("svc_list_tokens", { project, ...whole });

export const useEndpoints = (project: string) =>
  useRead<Page & { readonly endpoints: readonly Endpoint[] }>("svc_list_endpoints", { project, ...whole });

export const useWebhooks = (project: string) =>
  useRead<Page & { readonly webhooks: readonly Webhook[] }>("svc_list_webhooks", { project, ...whole });

const deliveriesEveryMs = 5_000;

export const useDeliveries = (args: Arguments) =>
  useRead<Page & { readonly deliveries: readonly Delivery[] }>("svc_list_deliveries", args, {
    refetchIntervalMs: deliveriesEveryMs,
  });

export const useUpstreams = (project: string) =>
  useRead<Page & { readonly upstreams: readonly Upstream[] }>("svc_list_upstreams", { project, ...whole });

export const useOAuthConnections = (project: string) =>
  useRead<Page & { readonly connections: readonly OAuthConnection[] }>("svc_list_oauth_connections", {
    project,
    ...whole,
  });

export const useProviders = () =>
  useRead<Page & { readonly providers: readonly Provider[] }>("svc_list_providers", whole);

export const useCredentials = () =>
  useRead<Page & { readonly credentials: readonly Credential[] }>("svc_list_credentials", whole);

export const useAdminKeys = () =>
  useRead<Page & { readonly admin_keys: readonly AdminKey[] }>("svc_list_admin_keys", whole);

export const useConsoleSessions = () =>
  useRead<Page & { readonly console_sessions: readonly ConsoleSession[] }>("svc_list_console_sessions", whole);

export const useIssuers = (project: string) =>
  useRead<Page & { readonly issuers: readonly Issuer[] }>("svc_list_issuers", { project, ...whole });
