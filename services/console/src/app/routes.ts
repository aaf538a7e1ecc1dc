import { createRootRoute, createRoute, createRouter } from "@tanstack/react-router";
import {
  readAuditSearch,
  readDeliverySearch,
  readGuardrailSearch,
  readGuardrailsPageSearch,
  readIssuerSearch,
  readOverviewSearch,
  readPlaygroundSearch,
  readRequestSearch,
  readUpstreamSearch,
} from "../api/search.ts";
import { ErrorPage } from "../parts/error-page.tsx";
import { lazyPart } from "../parts/lazy-part.tsx";
import { Waiting } from "../parts/waiting.tsx";
import { NotFound } from "./not-found.tsx";
import { Root } from "./root.tsx";

const rootRoute = createRootRoute({ component: Root, notFoundComponent: NotFound });

const overviewRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  validateSearch: readOverviewSearch,
  component: lazyPart(
    async () => await import("../pages/overview/overview-page.tsx"),
    ({ OverviewPage }) => OverviewPage,
  ),
});

const projectsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/projects",
  component: lazyPart(
    async () => await import("../pages/projects/projects-page.tsx"),
    ({ ProjectsPage }) => ProjectsPage,
  ),
});

const otherRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/providers",
    component: lazyPart(
      async () => await import("../pages/providers/providers-page.tsx"),
      ({ ProvidersPage }) => ProvidersPage,
    ),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/guardrails",
    validateSearch: readGuardrailsPageSearch,
    component: lazyPart(
      async () => await import("../pages/guardrails/guardrails-page.tsx"),
      ({ GuardrailsPage }) => GuardrailsPage,
    ),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/requests",
    validateSearch: readRequestSearch,
    component: lazyPart(
      async () => await import("../pages/requests/requests-page.tsx"),
      ({ RequestsPage }) => RequestsPage,
    ),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/audit",
    validateSearch: readAuditSearch,
    component: lazyPart(
      async () => await import("../pages/audit/audit-page.tsx"),
      ({ AuditPage }) => AuditPage,
    ),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/system",
    component: lazyPart(
      async () => await import("../pages/system/system-page.tsx"),
      ({ SystemPage }) => SystemPage,
    ),
  }),
] as const;

const projectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/projects/$project",
  component: lazyPart(
    async () => await import("../pages/project/project-page.tsx"),
    ({ ProjectPage }) => ProjectPage,
  ),
});

const projectChildren = [
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/",
    component: lazyPart(
      async () => await import("../pages/project/overview-tab.tsx"),
      ({ OverviewTab }) => OverviewTab,
    ),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/endpoints",
    component: lazyPart(
      async () => await import("../pages/endpoints/endpoints-tab.tsx"),
      ({ EndpointsTab }) => EndpointsTab,
    ),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/endpoints/$endpoint",
    component: lazyPart(
      async () => await import("../pages/endpoints/endpoint-page.tsx"),
      ({ EndpointPage }) => EndpointPage,
    ),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/playground",
    validateSearch: readPlaygroundSearch,
    component: lazyPart(
      async () => await import("../pages/playground/playground-tab.tsx"),
      ({ PlaygroundTab }) => PlaygroundTab,
    ),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/sessions",
    component: lazyPart(
      async () => await import("../pages/sessions/sessions-tab.tsx"),
      ({ SessionsTab }) => SessionsTab,
    ),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/upstreams",
    validateSearch: readUpstreamSearch,
    component: lazyPart(
      async () => await import("../pages/upstreams/upstreams-tab.tsx"),
      ({ UpstreamsTab }) => UpstreamsTab,
    ),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/connections",
    component: lazyPart(
      async () => await import("../pages/oauth/connections-tab.tsx"),
      ({ ConnectionsTab }) => ConnectionsTab,
    ),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/guardrails",
    validateSearch: readGuardrailSearch,
    component: lazyPart(
      async () => await import("../pages/guardrails/guardrails-tab.tsx"),
      ({ GuardrailsTab }) => GuardrailsTab,
    ),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/tokens",
    component: lazyPart(
      async () => await import("../pages/tokens/tokens-tab.tsx"),
      ({ TokensTab }) => TokensTab,
    ),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/tokens/$token",
    component: lazyPart(
      async () => await import("../pages/tokens/token-page.tsx"),
      ({ TokenPage }) => TokenPage,
    ),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/issuers",
    validateSearch: readIssuerSearch,
    component: lazyPart(
      async () => await import("../pages/issuers/issuers-tab.tsx"),
      ({ IssuersTab }) => IssuersTab,
    ),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/webhooks",
    component: lazyPart(
      async () => await import("../pages/webhooks/webhooks-tab.tsx"),
      ({ WebhooksTab }) => WebhooksTab,
    ),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/webhooks/$webhook",
    validateSearch: readDeliverySearch,
    component: lazyPart(
      async () => await import("../pages/webhooks/webhook-page.tsx"),
      ({ WebhookPage }) => WebhookPage,
    ),
  }),
  createRoute({
    getParentRoute: () => projectRoute,
    path: "/settings",
    component: lazyPart(
      async () => await import("../pages/project/settings-tab.tsx"),
      ({ SettingsTab }) => SettingsTab,
    ),
  }),
] as const;

let isOtherPage = true;

/** All routes of the console. Pages are loaded when first opened. */
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
  // Shown while a page waits for the person's rights.
  defaultPendingComponent: Waiting,
  // Filters and chosen rows are in the URL too, but must not scroll the page.
  scrollRestoration: () => isOtherPage,
  // Remounts a page for another project, so that open panels and choices do not act on the wrong project.
  defaultRemountDeps: ({ params }) => params,
});

router.subscribe("onBeforeLoad", ({ pathChanged }) => (isOtherPage = pathChanged));

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
