import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { ErrorPage } from "../parts/error-page.tsx";
import { NotFound } from "./not-found.tsx";
import { Root } from "./root.tsx";
import {
  readAuditSearch,
  readDeliverySearch,
  readGuardrailSearch,
  readIssuerSearch,
  readOverviewSearch,
  readPlaygroundSearch,
  readRequestSearch,
  readUpstreamSearch,
} from "../api/search.ts";

const rootRoute = createRootRoute({ component: Root, notFoundComponent: NotFound });

const overviewRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  validateSearch: readOverviewSearch,
  component: lazyRouteComponent(async () => await import("../pages/overview/overview-page.tsx"), "OverviewPage"),
});

const projectsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/projects",
  component: lazyRouteComponent(async () => await import("../pages/projects/projects-page.tsx"), "ProjectsPage"),
});

const otherRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/providers",
    component: lazyRouteComponent(async () => await import("../pages/providers/providers-page.tsx"), "ProvidersPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/requests",
    validateSearch: readRequestSearch,
    component: lazyRouteComponent(async () => await import("../pages/requests/requests-page.tsx"), "RequestsPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/audit",
    validateSearch: readAuditSearch,
    component: lazyRouteComponent(async () => await import("../pages/audit/audit-page.tsx"), "AuditPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/system",
    component: lazyRouteComponent(async () => await import("../pages/system/system-page.tsx"), "SystemPage"),
  }),
] as const;

const projectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/projects/$project",
  component: lazyRouteComponent(async () => await import("../pages/project/project-page.tsx"), "ProjectPage"),
});

const projectChildren = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/",
    component: lazyRouteComponent(async () => await import("../pages/project/overview-tab.tsx"), "OverviewTab"),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/endpoints",
    component: lazyRouteComponent(async () => await import("../pages/endpoints/endpoints-tab.tsx"), "EndpointsTab"),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/playground",
    validateSearch: readPlaygroundSearch,
    component: lazyRouteComponent(async () => await import("../pages/playground/playground-tab.tsx"), "PlaygroundTab"),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/sessions",
    component: lazyRouteComponent(async () => await import("../pages/sessions/sessions-tab.tsx"), "SessionsTab"),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/upstreams",
    validateSearch: readUpstreamSearch,
    component: lazyRouteComponent(async () => await import("../pages/upstreams/upstreams-tab.tsx"), "UpstreamsTab"),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/connections",
    component: lazyRouteComponent(async () => await import("../pages/oauth/connections-tab.tsx"), "ConnectionsTab"),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/guardrails",
    validateSearch: readGuardrailSearch,
    component: lazyRouteComponent(async () => await import("../pages/guardrails/guardrails-tab.tsx"), "GuardrailsTab"),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/tokens",
    component: lazyRouteComponent(async () => await import("../pages/tokens/tokens-tab.tsx"), "TokensTab"),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/tokens/$token",
    component: lazyRouteComponent(async () => await import("../pages/tokens/token-page.tsx"), "TokenPage"),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/issuers",
    validateSearch: readIssuerSearch,
    component: lazyRouteComponent(async () => await import("../pages/issuers/issuers-tab.tsx"), "IssuersTab"),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/webhooks",
    component: lazyRouteComponent(async () => await import("../pages/webhooks/webhooks-tab.tsx"), "WebhooksTab"),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/webhooks/$webhook",
    validateSearch: readDeliverySearch,
    component: lazyRouteComponent(async () => await import("../pages/webhooks/webhook-page.tsx"), "WebhookPage"),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/settings",
    component: lazyRouteComponent(async () => await import("../pages/project/settings-tab.tsx"), "SettingsTab"),
  }),
] as const;

/** Every address of the console. Pages are loaded when they are first opened. */
export const router = createRouter({
  routeTree: rootRoute.addChildren([
    overviewRoute,
    projectsRoute,
    ...otherRoutes,
    projectRoute.addChildren(projectChildren),
  ]),
  basepath: "/console",
  defaultPreload: "intent",
  defaultErrorComponent: ErrorPage,
  scrollRestoration: true,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
