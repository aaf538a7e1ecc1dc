/** Imports that a layer of a service may make from the others: anything, or only types, which are erased. */
interface LayerRow {
  readonly anything: readonly string[];
  readonly types: readonly string[];
}

/**
 * The layers inside `src` of a service: main → composition (`app.ts`) → rpc/http/admin → app → domain ← store/clients. Every
 * layer may import itself. Handlers get their collaborators as arguments, so they know clients by their types only; they call the
 * store's functions with the store's context that they were given. An unlisted layer has the row of {@link otherLayer}.
 */
export const layerTable: Readonly<Record<string, LayerRow>> = {
  // The console's main starts its shell, which is its `app`.
  main: { anything: ["app", "composition", "config", "index", "program"], types: [] },
  // Connects the service to its peers, in the same set or elsewhere, for its main and for hosts of several services; the
  // service's manifest exports it. A host that runs only some of the services reaches the others through the router's clients.
  program: { anything: ["composition", "clients", "config", "domain"], types: [] },
  // Names for other workspaces, beyond those of the program.
  index: { anything: ["composition", "clients", "config", "domain", "program"], types: [] },
  // Entry for tools that train on or measure a service.
  training: { anything: ["domain", "model-file"], types: [] },
  config: { anything: ["domain"], types: [] },
  events: { anything: ["domain"], types: [] },
  domain: { anything: [], types: [] },
  // Orchestration: calls the domain, the store and the clients in order. The only layer with both time and I/O. In the console:
  // the shell around the pages.
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
  // The Control Plane's catalogue of all operations, its own and its peers': finds one, checks the caller, calls its owner.
  operations: { anything: ["clients", "domain"], types: ["admin", "config"] },
  // The layers of the console, a page application: pages use parts, parts use the client of the Control Plane.
  pages: { anything: ["api", "parts"], types: [] },
  parts: { anything: ["api"], types: [] },
  api: { anything: [], types: [] },
  workers: { anything: ["app", "domain", "events", "store"], types: ["clients", "config", "metrics"] },
};

/** A further layer of one service, such as its metrics: built on the domain, assembled by the composition root. */
export const otherLayer: LayerRow = { anything: ["domain"], types: ["app", "clients", "config", "store"] };

/** The composition root imports everything except generated code and the process. */
export const closedToComposition: ReadonlySet<string> = new Set(["main", "program", "index", "generated"]);

/** Extent to which a domain may use a package: all of it, its types, or these names. */
type DomainUse = "all" | "types" | readonly string[];

/** Packages that a domain may import, because they only compute: no I/O, clock, randomness or process-wide state; those are parameters. */
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
    "isSameHost",
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
    "secretMember",
    "shown",
    "slug",
    "string",
    "timestamp",
    "toDate",
    "union",
    "urlLengthMax",
    "uuidPattern",
    "withDefault",
    "withMessages",
    "withoutItems",
    "withoutMembers",
    "writable",
    "writableName",
    "writableOptional",
  ],
  "@gatehouse/async": ["KindNumbers"],
  "@gatehouse/audit": ["catalogue"],
  "@gatehouse/bounded-cache": "all",
  "@gatehouse/dialects": "all",
  "@gatehouse/errors": "all",
  "@gatehouse/failover": "types",
  "@gatehouse/gateway-log": ["logColumnList", "signInRouteIds"],
  "@gatehouse/guardrail-client": ["isContextHeader"],
  "@gatehouse/http-fields": "all",
  "@gatehouse/json": "all",
  "@gatehouse/json-rpc": "all",
  "@gatehouse/json-schema": ["compileSchema", "schemaBounds"],
  "@gatehouse/money": "all",
  "@gatehouse/placeholders": "all",
  "@gatehouse/mcp": ["unknownTool"],
  // Its clock and waiting change when a computation continues, never its result.
  "@gatehouse/pace": "all",
  "@gatehouse/principal": [
    "adminActor",
    "adminRoles",
    "isProjectType",
    "isScope",
    "isSessionId",
    "isWithin",
    "matchesPattern",
    "mayCallFrom",
    "parseNetworks",
    "personPrefix",
    "projectTypes",
    "reachBounds",
    "scopes",
    "surfaceOfProject",
    "unseenCharacters",
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
