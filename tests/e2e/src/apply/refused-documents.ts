import type { Json } from "../control-plane-client.ts";

/** Existing items that documents can name. */
export interface Present {
  /** A provider of kind openai-compatible. */
  readonly provider: string;
  /** An address that the egress guard permits. */
  readonly address: string;
  /** Existing projects by type, with one item of each kind. */
  readonly projects: Readonly<Record<ProjectType, string>>;
}

export type ProjectType = "ai_gateway" | "ai_wrapper" | "mcp_gateway" | "api_gateway";

/** A document that is refused when applied, with the rule that refuses it. */
export interface RefusedDocument {
  readonly rule: string;
  readonly document: Json;
  readonly message: RegExp;
}

/** An address that no tenant may name. */
const denied = "http://169.254.169.254/latest";
const long = (length: number) => "a".repeat(length);
const numbered = (count: number, make: (at: number) => Json) => Array.from({ length: count }, (_, at) => make(at));

/** Each within its bound; together over that of a token's reach. */
const manyTools = Array.from({ length: 50 }, (_, at) => `${long(190)}${at}`);

/** Valid items of each kind, under unused names. */
export function validItems({ provider, address }: Present) {
  return {
    endpoint: { slug: "new-endpoint", targets: [{ provider, model: "m" }] },
    proxied: { slug: "new-endpoint", upstream_url: `${address}/x`, allowed_methods: ["GET"] },
    upstream: { prefix: "fresh", url: `${address}/mcp` },
    webhook: { name: "new-webhook", url: `${address}/hook`, events: ["token.created"] },
    token: { name: "new-token", scopes: ["chat"] },
    issuer: { issuer: `${address}/new-idp`, audience: "gatehouse", scopes: ["chat"], jwks_url: `${address}/jwks` },
    connection: {
      name: "new-connection",
      token_url: `${address}/token`,
      client_id: "c",
      client_secret: "s",
      grant: "client_credentials",
    },
  };
}

type Rule = readonly [rule: string, part: Json, message: RegExp];

/** Rules for the contents of projects of every type; each is tried in a new and in an existing project. */
function rulesOfAny(present: Present): readonly Rule[] {
  const { webhook, token } = validItems(present);
  return [
    ["a webhook's denied URL", { webhooks: [{ ...webhook, url: denied }] }, /SSRF/],
    [
      "more webhooks than a project may have",
      { webhooks: numbered(101, (at) => ({ ...webhook, name: `w${at}` })) },
      /at most 100/,
    ],
    ["a webhook's unknown event", { webhooks: [{ ...webhook, events: ["token.found"] }] }, /Unknown event/],
    ["a webhook named by its id", { webhooks: [{ ...webhook, webhook_id: 1 }] }, /webhook_id is not a setting/],
    ["a token's reach beyond its bound", { tokens: [{ ...token, tools: manyTools }] }, /together/],
    ["a token's unknown scope", { tokens: [{ ...token, scopes: ["fly"] }] }, /Unknown scope/],
    ["a token named by its id", { tokens: [{ ...token, token_id: 1 }] }, /token_id is not a setting/],
    ["a limit out of bounds", { rate_limit_per_minute: 0 }, /from 1 to/],
    ["a misspelled setting", { tokens: [{ ...token, expiry: "2030-01-01" }] }, /expiry is not a setting/],
  ];
}

const denying = { name: "judge", kind: "http", url: denied, mode: "log" };

/** Rules for issuers and guardrail policies, in projects of every type. */
function rulesOfAccess(present: Present): readonly Rule[] {
  const { issuer } = validItems(present);
  const { address } = present;
  return [
    [
      "more issuers than a project may have",
      { issuers: numbered(21, (at) => ({ ...issuer, issuer: `${address}/idp${at}` })) },
      /at most 20/,
    ],
    ["an issuer's malformed URL", { issuers: [{ ...issuer, issuer: "ftp://x" }] }, /http/],
    ["a subject that no token can have", { issuers: [{ ...issuer, revoked_subjects: [long(2_000)] }] }, /characters/],
    ["a policy's denied URL", { guardrails: { external: [denying] } }, /SSRF/],
    ["a project's policy that replaces", { guardrails: { replace: true } }, /replace/],
    ["a keyword that cannot be found", { guardrails: { keywords: ["-"] } }, /nothing to look for/],
    ["a pattern that matches everything", { guardrails: { patterns: [{ pattern: "a*" }] } }, /empty text/],
    [
      "a secret that is not kept",
      { guardrails: { external: [{ ...denying, url: address, secret_kept: true }] } },
      /no saved secret/,
    ],
    ["a policy of something else", { guardrails: { endpoint: "e" } }, /endpoint is not a setting/],
    ["a policy that is to be cleared", { guardrails: { clear: true } }, /clear is not a setting/],
  ];
}

function rulesOfModels(present: Present): readonly Rule[] {
  const { endpoint, proxied, upstream, connection } = validItems(present);
  return [
    [
      "a target's unknown provider",
      { endpoints: [{ ...endpoint, targets: [{ provider: "nobody-s", model: "m" }] }] },
      /Provider not found: nobody-s/,
    ],
    ["a schema that is none", { endpoints: [{ ...endpoint, input_schema: { type: "nonsense" } }] }, /input_schema/],
    ["a prompt's open placeholder", { endpoints: [{ ...endpoint, system_prompt: "Hi {{name" }] }, /system_prompt/],
    ["held tokens without holding", { endpoints: [{ ...endpoint, hold_tokens: 5 }] }, /hold_tokens/],
    ["a reserved slug", { endpoints: [{ ...endpoint, slug: "mcp" }] }, /slug/],
    ["an endpoint twice", { endpoints: [endpoint, endpoint] }, /twice/],
    ["an endpoint's denied guardrail", { endpoints: [{ ...endpoint, guardrails: { external: [denying] } }] }, /SSRF/],
    ["an upstream in another type", { upstreams: [upstream] }, /mcp_gateway/],
    ["a connection in another type", { oauth_connections: [connection] }, /OAuth/],
    ["a proxied endpoint in another type", { endpoints: [proxied] }, /targets|not a setting|Unknown argument/],
  ];
}

function rulesOfUpstreams(present: Present): readonly Rule[] {
  const { endpoint, upstream } = validItems(present);
  return [
    ["an upstream's denied URL", { upstreams: [{ ...upstream, url: denied }] }, /SSRF/],
    [
      "more upstreams than a project may have",
      { upstreams: numbered(201, (at) => ({ ...upstream, prefix: `p${at}` })) },
      /at most 200/,
    ],
    ["an upstream's ill prefix", { upstreams: [{ ...upstream, prefix: "a__b" }] }, /prefix/],
    ["a token elsewhere that is another's", { upstreams: [{ ...upstream, bearer_token: "env:HOME" }] }, /reference/i],
    ["an upstream named by its id", { upstreams: [{ ...upstream, upstream_id: 1 }] }, /upstream_id is not a setting/],
    ["an endpoint in another type", { endpoints: [endpoint] }, /cannot have endpoints/],
  ];
}

function rulesOfProxies(present: Present): readonly Rule[] {
  const { endpoint, proxied, connection } = validItems(present);
  const { address } = present;
  return [
    [
      "a connection that is not there",
      { endpoints: [{ ...proxied, auth: { type: "oauth", connection: "none" } }] },
      /no OAuth connection named none/,
    ],
    [
      "a connection's id that is not there",
      { endpoints: [{ ...proxied, auth: { type: "oauth", connection_id: 999_999 } }] },
      /OAuth connection not found/,
    ],
    [
      "a connection in another auth",
      {
        oauth_connections: [connection],
        endpoints: [{ ...proxied, auth: { type: "none", connection: "new-connection" } }],
      },
      /connection_id/,
    ],
    [
      "nothing to sign in with",
      { endpoints: [{ ...proxied, auth: { type: "basic", username: "", password: "" } }] },
      /username/,
    ],
    ["a URL with a query", { endpoints: [{ ...proxied, upstream_url: `${address}/?a=b` }] }, /query/],
    [
      "a header that the gateway sets",
      { endpoints: [{ ...proxied, auth: { type: "header", name: "Host", value: "x" } }] },
      /Host/,
    ],
    ["a connection's denied URL", { oauth_connections: [{ ...connection, token_url: denied }] }, /SSRF/],
    ["a grant without its token", { oauth_connections: [{ ...connection, grant: "refresh_token" }] }, /refresh_token/],
    ["a token without its grant", { oauth_connections: [{ ...connection, refresh_token: "r" }] }, /refresh_token/],
    [
      "a secret elsewhere that is another's",
      { oauth_connections: [{ ...connection, client_secret: "file:/etc/hosts" }] },
      /reference/i,
    ],
    ["a model's endpoint in another type", { endpoints: [endpoint] }, /upstream_url|not a setting|Unknown argument/],
  ];
}

function projectRules(present: Present): Readonly<Record<ProjectType, readonly Rule[]>> {
  const ofModels = rulesOfModels(present);
  return {
    ai_gateway: [...rulesOfAny(present), ...rulesOfAccess(present), ...ofModels],
    ai_wrapper: ofModels.slice(-6),
    mcp_gateway: rulesOfUpstreams(present),
    api_gateway: rulesOfProxies(present),
  };
}

/** Rules for a gateway's providers, and for documents as a whole. */
function gatewayRules({ provider, address, projects }: Present): readonly Rule[] {
  const openai = { name: "new-openai", kind: "openai-compatible", base_url: `${address}/v1` };
  const twice = { name: "Twice", project_type: "ai_gateway" };
  return [
    ["a provider without an address", { providers: [{ name: "new-azure", kind: "azure-openai" }] }, /base_url/],
    ["a provider at a denied address", { providers: [{ ...openai, base_url: denied }] }, /base_url/],
    ["a provider's address with a query", { providers: [{ ...openai, base_url: `${address}/v1?x=y` }] }, /query/],
    [
      "a present provider's address with a query",
      { providers: [{ name: provider, base_url: `${address}/v1?x=y` }] },
      /query/,
    ],
    ["a present provider without its address", { providers: [{ name: provider, base_url: null }] }, /base_url/],
    [
      "a present provider's misspelled null",
      { providers: [{ name: provider, base_ur: null }] },
      /base_ur is not a setting/,
    ],
    ["a provider's unknown kind", { providers: [{ ...openai, kind: "oracle" }] }, /kind/],
    ["a provider twice", { providers: [openai, openai] }, /twice/],
    ["a provider named otherwise", { providers: [{ ...openai, provider }] }, /provider is not a setting/],
    ...credentialRules(provider),
    ["a project twice", { projects: [twice, twice] }, /twice/],
    [
      "a project by its name and its uuid",
      { projects: [{ ...twice, uuid: projects.ai_gateway, name: "Twice" }, twice] },
      /twice/,
    ],
    [
      "a project by its uuid twice",
      {
        projects: [
          { ...twice, uuid: projects.ai_gateway },
          { ...twice, name: "Other", uuid: projects.ai_gateway },
        ],
      },
      /twice/,
    ],
    ["a project's unknown type", { projects: [{ ...twice, project_type: "gateway" }] }, /project_type/],
    ["a project's other type", { projects: [{ ...twice, uuid: projects.mcp_gateway }] }, /cannot change/],
    [
      "a project named otherwise",
      { projects: [{ ...twice, project: projects.ai_gateway }] },
      /project is not a setting/,
    ],
  ];
}

function credentialRules(provider: string): readonly Rule[] {
  const having = (credential: Json) => ({ providers: [{ name: provider, credentials: [credential] }] });
  return [
    ["a credential's ill key", having({ name: "k", api_key: "two words" }), /api_key/],
    ["a credential's malformed reference", having({ name: "k", api_key: "file:../x" }), /reference/i],
    ["a credential of another provider", having({ name: "k", provider: "y" }), /provider is not a setting/],
    ["a present credential's misspelled setting", having({ name: "main", api_kee: "k" }), /api_kee is not a setting/],
  ];
}

/** Rules for changes of existing items. */
function changeRules({ projects }: Present): readonly (readonly [ProjectType, ...Rule])[] {
  return [
    ["ai_gateway", "a present webhook's denied URL", { webhooks: [{ name: "hook", url: denied }] }, /SSRF/],
    [
      "ai_gateway",
      "a present endpoint's unknown provider",
      { endpoints: [{ slug: "ask", targets: [{ provider: "nobody-s", model: "m" }] }] },
      /Provider not found/,
    ],
    ["ai_gateway", "a present endpoint's held tokens", { endpoints: [{ slug: "ask", hold_tokens: 3 }] }, /hold_tokens/],
    ["ai_gateway", "a present token's reach", { tokens: [{ name: "app", tools: manyTools }] }, /together/],
    ["ai_gateway", "a present token's scopes", { tokens: [{ name: "app", scopes: ["mcp"] }] }, /cannot be changed/],
    [
      "ai_gateway",
      "a present issuer's audience",
      { issuers: [{ issuer: "https://id.example/", audience: "" }] },
      /audience/,
    ],
    ["mcp_gateway", "a present upstream's denied URL", { upstreams: [{ prefix: "files", url: denied }] }, /SSRF/],
    [
      "api_gateway",
      "a present connection's denied URL",
      { oauth_connections: [{ name: "crm", token_url: denied }] },
      /SSRF/,
    ],
    [
      "api_gateway",
      "a present connection's other grant",
      { oauth_connections: [{ name: "crm", grant: "refresh_token" }] },
      /cannot be changed/,
    ],
    [
      "api_gateway",
      "a present endpoint's unknown connection",
      { endpoints: [{ slug: "crm", auth: { type: "oauth", connection: "none" } }] },
      /no OAuth connection/,
    ],
  ]
    .map((rule) => rule as unknown as readonly [ProjectType, ...Rule])
    .filter(([type]) => projects[type] !== undefined);
}

/** Every rule of an operation that a document can break, once; earlier items of the document are valid and new. */
export function refusedDocuments(present: Present): readonly RefusedDocument[] {
  const before = { name: "new-provider", kind: "mock" };
  const first = { name: "New first", project_type: "ai_gateway", tokens: [{ name: "t", scopes: ["chat"] }] };
  const toDocument = ({ providers = [], projects = [] }: Json): Json => ({
    version: 1,
    providers: [before, ...(providers as Json[])],
    projects: [first, ...(projects as Json[])],
  });
  const ofProjects = Object.entries(projectRules(present)).flatMap(([type, rules]) =>
    rules.flatMap(([rule, part, message]) => {
      const uuid = present.projects[type as ProjectType];
      const places = [
        [`${type}, new: ${rule}`, { name: "New second", project_type: type, ...part }],
        [`${type}, present: ${rule}`, { name: `Present ${type}`, project_type: type, uuid, ...part }],
      ] as const;
      return places.map(([where, project]) => ({
        rule: where,
        document: toDocument({ projects: [project] }),
        message,
      }));
    }),
  );
  const ofGateway = gatewayRules(present).map(([rule, part, message]) => ({
    rule,
    document: toDocument(part),
    message,
  }));
  const ofChanges = changeRules(present).map(([type, rule, part, message]) => {
    const project = { name: `Present ${type}`, project_type: type, uuid: present.projects[type], ...part };
    return { rule: `${type}: ${rule}`, document: toDocument({ projects: [project] }), message };
  });
  return [...ofGateway, ...ofProjects, ...ofChanges];
}
