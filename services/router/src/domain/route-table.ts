import { type ControlRouteId, signInRouteIds } from "@gatehouse/gateway-log";
import type { ProjectType, Scope } from "@gatehouse/principal";
import { reservedSlugs } from "@gatehouse/slugs";

/** Services that receive requests; `router` and `sessions` are handled in the router, behind the dispatcher. */
export type ServiceName =
  | "api-proxy"
  | "chat"
  | "control-plane"
  | "mcp-bridge"
  | "mcp-aggregator"
  | "router"
  | "sessions";

/** Checks of a route. The first one of a route that is not public authenticates the caller. */
export type GuardName =
  | "token"
  | AdministratorGuardName
  | "network"
  | "project"
  | "scope"
  | "project_type"
  | "method"
  | "body_size"
  | "origin"
  | "csrf";

/**
 * Checks that authenticate an administrator: by admin key, by a session's cookie, by either, or by the key in the body that opens
 * a session.
 */
const administratorGuards = ["admin_key", "session", "administrator", "sign_in"] as const;
type AdministratorGuardName = (typeof administratorGuards)[number];

/**
 * A data-plane route: `/api/{uuid}/` followed by literal segments, literal segments and `{id}`, `{slug}`, or `{slug}/{rest}`.
 * Routes may share a path; the project's type, then the method, chooses among them.
 */
export interface DataRoute {
  readonly plane: "data";
  readonly id: string;
  readonly path: `/api/{uuid}/${string}`;
  readonly methods: readonly string[] | "any";
  readonly guards: readonly GuardName[];
  readonly service: ServiceName;
  readonly scope: Scope;
  readonly projectTypes: readonly ProjectType[];
  /** Message for a project of another type. */
  readonly wrongTypeMessage: string;
  /** Whether the path does not exist (404) for projects of other types, instead of a refusal of the type. */
  readonly isNothingToOthers?: true;
  /** Bodies are streamed without bounds of size and time; the service has its own. */
  readonly streamsBody?: true;
}

/** Routes for monitoring; requests to them are not calls of the Control Plane. */
type OperationsRouteId = "readyz" | "metrics";

/** A route of the control plane, for administrators. Routes may share a path; the method chooses among them. */
export interface ControlRoute {
  readonly plane: "control";
  readonly id: ControlRouteId | OperationsRouteId;
  readonly path: string;
  readonly methods: readonly string[];
  readonly guards: readonly [AdministratorGuardName, ...GuardName[]];
  readonly service: ServiceName;
}

/** A route that the router answers itself, without authentication. */
export interface PublicRoute {
  readonly plane: "public";
  readonly id: PublicRouteId;
  readonly path: string;
  readonly methods: readonly string[];
  readonly guards: readonly GuardName[];
}

/** Row of the route table; its plane decides which paths and guards `assertRouteTable` accepts. */
export type Route = DataRoute | ControlRoute | PublicRoute;

/** All routes without authentication. */
export const publicRouteIds = [...signInRouteIds, "index", "healthz", "oauth_resource", "console"] as const;
/** Id of a route without authentication. The list is closed, so that no further route becomes public by mistake. */
export type PublicRouteId = (typeof publicRouteIds)[number];

/** End of a path that addresses one item. */
export const itemEnd = "/{id}";

/** Checks of every data-plane route, in this order: a refusal reveals nothing about later checks. */
const dataGuards = ["token", "network", "project", "scope", "project_type", "method", "body_size"] as const;
/** Checks of a route whose service bounds the body's size. */
const streamGuards = ["token", "network", "project", "scope", "project_type", "method"] as const;

const notAnAiGateway =
  "This project is not an AI Gateway. Use /api/{uuid}/v1/chat/completions for AI Wrapper projects.";

const chat = {
  plane: "data",
  methods: ["POST"],
  guards: dataGuards,
  service: "chat",
  scope: "chat",
  projectTypes: ["ai_gateway"],
  wrongTypeMessage: notAnAiGateway,
} as const;

const wrapper = {
  ...chat,
  projectTypes: ["ai_wrapper"],
  wrongTypeMessage: "This project is not an AI Wrapper. Use /api/{uuid}/{slug} for AI Gateway projects.",
} as const;

/** Both project types share one address; the type chooses the mode. */
const mcp = {
  plane: "data",
  path: "/api/{uuid}/mcp",
  methods: ["POST"],
  guards: [...dataGuards, "origin"],
  scope: "mcp",
  wrongTypeMessage:
    "This project is neither an AI Gateway nor an MCP Gateway. The MCP route serves projects of the types ai_gateway and mcp_gateway.",
} as const;

const proxy = {
  plane: "data",
  methods: "any",
  guards: streamGuards,
  service: "api-proxy",
  scope: "proxy",
  projectTypes: ["api_gateway"],
  wrongTypeMessage:
    "This project is not an API Gateway. Use /api/{uuid}/{slug} without a further path for AI Gateway projects.",
  streamsBody: true,
} as const;

const page = { plane: "public", methods: ["GET", "HEAD"], guards: ["method"] } as const;

/** For administrators; the operations port serves the same without a key. */
const operations = {
  plane: "control",
  methods: ["GET", "HEAD"],
  guards: ["admin_key", "method"],
  service: "router",
} as const;

const session = { plane: "control", path: "/control/session", service: "sessions" } as const;

/** Every route of the product. A router refuses to start with a table that `assertRouteTable` rejects. */
export const routes: readonly Route[] = [
  { ...chat, id: "chat_direct", path: "/api/{uuid}/{slug}" },
  { ...chat, id: "chat_dispatcher", path: "/api/{uuid}/chat/completions" },
  { ...wrapper, id: "wrapper_chat", path: "/api/{uuid}/v1/chat/completions" },
  { ...wrapper, id: "wrapper_completions", path: "/api/{uuid}/v1/completions" },
  { ...wrapper, id: "wrapper_embeddings", path: "/api/{uuid}/v1/embeddings" },
  { ...proxy, id: "proxy", path: "/api/{uuid}/{slug}" },
  { ...proxy, id: "proxy_rest", path: "/api/{uuid}/{slug}/{rest}", isNothingToOthers: true },
  { ...wrapper, id: "wrapper_models", path: "/api/{uuid}/v1/models", methods: ["GET"], scope: "models" },
  { ...wrapper, id: "wrapper_model", path: "/api/{uuid}/v1/models/{id}", methods: ["GET"], scope: "models" },
  { ...mcp, id: "mcp_bridge", service: "mcp-bridge", projectTypes: ["ai_gateway"] },
  { ...mcp, id: "mcp_gateway", service: "mcp-aggregator", projectTypes: ["mcp_gateway"] },
  {
    plane: "control",
    id: "control_mcp",
    path: "/control/mcp",
    methods: ["POST"],
    guards: ["administrator", "method", "body_size", "origin", "csrf"],
    service: "control-plane",
  },
  { ...session, id: "console_sign_in", methods: ["POST"], guards: ["sign_in", "method", "body_size", "origin"] },
  // No `csrf`: it changes nothing and returns the CSRF token, and no other site can read the answer (CORS).
  { ...session, id: "console_session", methods: ["GET", "HEAD"], guards: ["session", "method", "origin"] },
  { ...session, id: "console_sign_out", methods: ["DELETE"], guards: ["session", "method", "origin", "csrf"] },
  // Precede authentication: the start redirects to an identity provider, and the return opens a session.
  { ...page, id: "sign_in_providers", path: "/control/sign-in" },
  { ...page, id: "sign_in_start", path: "/control/sign-in/:provider", methods: ["GET"] },
  { ...page, id: "sign_in_return", path: "/control/sign-in/:provider/callback", methods: ["GET"] },
  { ...page, id: "index", path: "/" },
  { ...page, id: "healthz", path: "/healthz" },
  // Present only where the project trusts an issuer.
  { ...page, id: "oauth_resource", path: "/.well-known/oauth-protected-resource/api/:uuid/mcp" },
  // Public: the page and its assets hold no secret, and the visitor signs in there.
  { ...page, id: "console", path: "/console{/{*path}}" },
  { ...operations, id: "readyz", path: "/readyz" },
  { ...operations, id: "metrics", path: "/metrics" },
];

/** Checks the route table before the router starts. @throws Error naming every fault */
export function assertRouteTable(table: readonly Route[]): void {
  const faults = [...table.flatMap(faultsOf), ...repeatedIds(table)];
  if (table.length === 0) faults.push("it has no route");
  if (faults.length > 0) throw new Error(`The route table is not safe to serve: ${faults.join("; ")}.`);
}

/** One line for the log at the start: id, methods, path, guards in order, scope with project types, and service. */
export function describeRoute(route: Route): string {
  const methods = route.methods === "any" ? "ANY" : route.methods.join(",");
  const target = route.plane === "public" ? "router" : route.service;
  const scope = route.plane === "data" ? ` scope=${route.scope} types=${route.projectTypes.join(",")}` : "";
  return `${route.id}: ${methods} ${route.path} [${route.guards.join(" > ")}]${scope} -> ${target}`;
}

function faultsOf(route: Route): readonly string[] {
  if (route.plane === "data") {
    const guards = route.streamsBody ? streamGuards : dataGuards;
    return isPrefixOf(guards, route.guards)
      ? dataPathFaults(route)
      : [`${route.id} must be guarded by ${guards.join(", ")}, in this order`];
  }
  if (route.path.startsWith("/api/")) return [`${route.id} lies under /api/ and is not a data-plane route`];
  if (route.plane === "control") {
    return isAdministratorGuard(route.guards[0])
      ? []
      : [`${route.id} must be guarded by one of ${administratorGuards.join(", ")} first`];
  }
  return publicRouteIds.includes(route.id) ? [] : [`${route.id} has no authentication and is not in the public list`];
}

function dataPathFaults({ id, path }: DataRoute): readonly string[] {
  const tail = path.slice("/api/{uuid}/".length);
  const literal = tail.endsWith(itemEnd) ? tail.slice(0, -itemEnd.length) : tail;
  const isKnownForm = tail === "{slug}" || tail === "{slug}/{rest}" || (literal !== "" && !literal.includes("{"));
  if (!isKnownForm) return [`${id} has a path that the matcher does not know`];
  const [first = ""] = tail.split("/");
  return tail.startsWith("{") || reservedSlugs.has(first)
    ? []
    : [`${id} would hide an endpoint: ${first} is not reserved`];
}

function isPrefixOf(prefix: readonly GuardName[], guards: readonly GuardName[]): boolean {
  return prefix.every((name, index) => guards[index] === name);
}

function repeatedIds(table: readonly Route[]): readonly string[] {
  const ids: readonly string[] = table.map(({ id }) => id);
  return ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} is listed twice`);
}

function isAdministratorGuard(name: string | undefined): boolean {
  return (administratorGuards as readonly string[]).includes(name ?? "");
}
