/** Imports that one room of a service may make from the others: anything, or only types, which are erased. */
interface LayerRow {
  readonly anything: readonly string[];
  readonly types: readonly string[];
}

/**
 * The rooms inside `src` of a service: main → composition (`app.ts`) → rpc/http/admin → app → domain ← store/clients. Every room
 * may import itself. Handlers get what they work with handed in, so they know clients by their types only; the functions of the
 * store they call with the store's context that they were given. A room that is not listed has the row of {@link otherLayer}.
 */
export const layerTable: Readonly<Record<string, LayerRow>> = {
  // The console's main starts its shell, which is its `app`.
  main: { anything: ["app", "composition", "config", "index", "program"], types: [] },
  // Connects the service to its peers, in the same set or elsewhere, for its main and for hosts of several services: what the
  // service's manifest exports. A host that runs only some of the services reaches the others through the router's clients.
  program: { anything: ["composition", "clients", "config", "domain"], types: [] },
  // The names for other workspaces, where they are more than those of the program.
  index: { anything: ["composition", "clients", "config", "domain", "program"], types: [] },
  // The entry by which a tool that learns or measures reads a service.
  training: { anything: ["domain", "model-file"], types: [] },
  config: { anything: ["domain"], types: [] },
  events: { anything: ["domain"], types: [] },
  domain: { anything: [], types: [] },
  // Orchestration: what calls the domain, the store and the clients in order. The only room with both time and I/O.
  // In the console: the shell around the pages.
  app: {
    anything: ["api", "clients", "domain", "events", "model-file", "pages", "parts", "store"],
    types: ["config", "metrics"],
  },
  store: { anything: ["domain", "events", "generated"], types: [] },
  clients: { anything: ["domain"], types: ["config"] },
  // Resources and operations of the service, served by `bindAdmin`.
  admin: { anything: ["app", "domain", "events", "store"], types: ["clients", "config", "metrics", "operations"] },
  rpc: { anything: ["app", "domain", "events", "store"], types: ["clients", "config", "metrics"] },
  http: {
    anything: ["app", "domain", "events", "operations", "store"],
    types: ["admin", "clients", "config", "metrics"],
  },
  // The Control Plane's catalogue of all operations, its own and its peers': finds one, judges the caller, calls its owner.
  operations: { anything: ["clients", "domain"], types: ["admin", "config"] },
  // The rooms of the console, a page application: pages of parts, parts on the client of the Control Plane.
  pages: { anything: ["api", "parts"], types: [] },
  parts: { anything: ["api"], types: [] },
  api: { anything: [], types: [] },
  workers: { anything: ["app", "domain", "events", "store"], types: ["clients", "config", "metrics"] },
};

/** A room of a service's own, such as its metrics: built on the domain, put together by the composition root. */
export const otherLayer: LayerRow = { anything: ["domain"], types: ["app", "clients", "config", "store"] };

/** The composition root puts everything together; nothing but the generated code and the process is beyond it. */
export const closedToComposition: ReadonlySet<string> = new Set(["main", "program", "index", "generated"]);

/** Extent to which a domain may use a package: all of it, its types, or these names. */
type DomainUse = "all" | "types" | readonly string[];

/**
 * Packages that a domain may import: they compute, and do nothing else. No I/O, no clock, no randomness, no process-wide state;
 * those are parameters.
 */
export const purePackages: Readonly<Record<string, DomainUse>> = {
  "@gatehouse/admin": [
    "administerGateway",
    "array",
    "boolean",
    "createArgumentsCheck",
    "defineResource",
    "discriminatedUnion",
    "dollars",
    "fixed",
    "httpUrl",
    "httpUrlRule",
    "httpUrlWithoutFragment",
    "id",
    "integer",
    "isUuid",
    "jsonObject",
    "literalOrObject",
    "looseObject",
    "matching",
    "nullable",
    "number",
    "numberOrString",
    "object",
    "ofProject",
    "oneOf",
    "optional",
    "parseUuid",
    "project",
    "quote",
    "record",
    "reference",
    "refined",
    "resourceNotFound",
    "shown",
    "slug",
    "string",
    "timestamp",
    "toDate",
    "union",
    "urlLengthMax",
    "withDefault",
    "withMessages",
    "withoutItems",
    "withoutMembers",
    "writable",
    "writableOptional",
  ],
  "@gatehouse/audit": ["catalogue"],
  "@gatehouse/bounded-cache": "all",
  "@gatehouse/dialects": "all",
  "@gatehouse/errors": "all",
  "@gatehouse/failover": "types",
  "@gatehouse/gateway-log": ["signInRouteIds"],
  "@gatehouse/guardrail-client": "types",
  "@gatehouse/json": "all",
  "@gatehouse/json-rpc": "all",
  "@gatehouse/json-schema": ["compileSchema", "schemaBounds"],
  "@gatehouse/money": "all",
  "@gatehouse/mcp": ["unknownTool"],
  // Its clock and its waiting change when a computation goes on, never its result.
  "@gatehouse/pace": "all",
  "@gatehouse/principal": [
    "adminActor",
    "adminRoles",
    "isScope",
    "isSessionId",
    "isWithin",
    "mayCallFrom",
    "parseNetworks",
    "personPrefix",
    "projectTypes",
    "reachBounds",
    "scopes",
  ],
  "@gatehouse/providers": "types",
  "@gatehouse/slugs": ["reservedSlugs", "slugPattern", "slugRule"],
  "@gatehouse/upstream-http": "types",
  "@gatehouse/vault": ["Secret"],
  re2js: "all",
  "node:buffer": "all",
  "node:crypto": ["createHash", "createHmac", "hash", "timingSafeEqual"],
  "node:net": ["isIP", "isIPv4", "isIPv6"],
  "node:util": "all",
};
