import type { JsonObject } from "@gatehouse/json-rpc";
import { describe, expect, test } from "vitest";
import { exportDocument } from "../../../test/exported-document.ts";
import { parseDocument } from "../../../test/parse-document.ts";
import { planChanges } from "./plan.ts";
import { findReferences, SecretNames } from "./secret-references.ts";
import type { ConfigurationState } from "./state.ts";

const emptyGateway: ConfigurationState = { providers: [], projects: [] };

const projectUuid = "00000000-0000-4000-8000-000000000001";
const otherUuid = "00000000-0000-4000-8000-000000000002";
const project = { id: 1, uuid: projectUuid, name: "Support", project_type: "ai_gateway" };
const limits = { rate_limit_per_minute: 600, rate_limit_per_hour: null };
const target = { provider: "openai", model: "m", input_price_per_million: null, output_price_per_million: null };
const policy = {
  source: "project",
  project: projectUuid,
  pii: { mode: "block", entities: ["email"] },
  prompt_injection: { mode: "off", threshold: "default" },
  keywords: [],
  patterns: [],
  max_content_length: null,
  apply_to_output: false,
  on_unavailable: "closed",
};

const state: ConfigurationState = {
  providers: [
    {
      settings: { id: 1, name: "openai", kind: "openai", base_url: null, enabled: true },
      credentials: [{ id: 4, provider: "openai", name: "main", is_active: true, hint: "abcd" }],
    },
  ],
  projects: [
    {
      settings: { ...project, ...limits, created_at: "2026-01-01T00:00:00.000Z" },
      guardrails: policy,
      tokens: [{ id: 9, name: "app", scopes: ["chat", "mcp"], environment: "live", is_active: true, expires_at: null }],
      issuers: [],
      oauthConnections: [],
      endpoints: [
        {
          settings: {
            uuid: "e-1",
            slug: "demo",
            project: projectUuid,
            is_active: true,
            targets: [target],
            description: null,
          },
          guardrails: undefined,
        },
      ],
      upstreams: [],
      webhooks: [{ id: 3, name: "hook", url: "https://a.example/", events: ["token.created"], is_active: true }],
    },
  ],
};

type Item = JsonObject;

/** An item of every kind. @param more members that owners show and no operation takes */
function fullState(more: JsonObject): ConfigurationState {
  const fared = {
    id: 5,
    project: projectUuid,
    created_at: "2026-01-01T00:00:00.000Z",
    ...more,
  };
  const { providers, projects } = state;
  const issuer = { issuer: "https://id.example", audience: "gatehouse", scopes: ["chat"], jwks_url: null };
  const connection = { name: "crm", token_url: "https://a.example/token", status: "ready", expires_at: "2026-01-01" };
  const upstream = { prefix: "files", url: "https://a.example/mcp", is_active: false, has_bearer_token: true };
  return {
    providers: providers.map(({ settings, credentials }) => ({
      settings: { ...settings, ...more },
      credentials: credentials.map((credential) => ({ ...credential, ...more })),
    })),
    projects: projects.map((each) => ({
      settings: { ...each.settings, ...more },
      guardrails: { ...policy, ...more },
      tokens: each.tokens.map((token) => ({ ...token, ...fared, last_used_at: "2026-01-01T00:00:00.000Z" })),
      issuers: [{ settings: { ...issuer, ...fared }, revokedSubjects: ["ann"] }],
      oauthConnections: [{ ...connection, ...fared }],
      endpoints: each.endpoints.map((endpoint) => ({ ...endpoint, settings: { ...endpoint.settings, ...more } })),
      upstreams: [{ ...upstream, ...fared, state: { health: "reachable" } }],
      webhooks: each.webhooks.map((webhook) => ({ ...webhook, ...fared, secret_hint: "abcd" })),
    })),
  };
}

const plan = (document: JsonObject, current = state) =>
  planChanges(parseDocument({ version: 1, ...document }), current);

const wanted = (settings: JsonObject) => ({ name: "Support", project_type: "ai_gateway", ...settings });

describe("a plan", () => {
  test("an exported configuration needs no change in its own installation", () => {
    expect(planChanges(parseDocument(exportDocument(state).document), state)).toEqual([]);
  });

  test.each([
    ["upstreams", { prefix: "files", url: "https://b.example/mcp", bearer_token: "b" }, ["url", "bearer_token"]],
    ["upstreams", { prefix: "files", url: "https://b.example/mcp" }, ["url"]],
    ["upstreams", { prefix: "files", url: "https://a.example/other", bearer_token: "b" }, ["url"]],
    [
      "oauth_connections",
      { name: "crm", token_url: "https://b.example/token", client_id: "c", client_secret: "s", grant: "refresh_token" },
      ["token_url", "client_secret"],
    ],
    [
      "endpoints",
      { slug: "demo", upstream_url: "https://b.example/", auth: { type: "header", name: "X-Key", value: "v" } },
      ["upstream_url", "auth"],
    ],
    [
      "endpoints",
      { slug: "demo", upstream_url: "https://a.example/b", auth: { type: "header", name: "X-Key", value: "v" } },
      ["upstream_url"],
    ],
  ])("of %s gives a document's secrets again for another host alone: %o", (kind, item, fields) => {
    const { projects } = fullState({});
    const [only] = projects;
    const [endpoint] = only?.endpoints ?? [];
    if (only === undefined || endpoint === undefined) throw new Error("The state has them.");
    const auth = { type: "header", name: "X-Key" };
    const settings = { ...endpoint.settings, upstream_url: "https://a.example/", auth };
    const connection = { ...only.oauthConnections[0], client_id: "c", grant: "refresh_token" };
    const current = { ...only, endpoints: [{ ...endpoint, settings }], oauthConnections: [connection] };
    const changes = plan({ projects: [wanted({ [kind]: [item] })] }, { providers: [], projects: [current] });
    expect(changes).toMatchObject([{ action: "update", fields }]);
    for (const name of fields) expect(changes[0]?.arguments).toHaveProperty(name);
  });

  test("every kind of item is exported with its settings alone, without its owner's other members", () => {
    const full = fullState({});
    const { document } = exportDocument(full);
    expect(planChanges(parseDocument(document), full)).toEqual([]);
    expect(
      exportDocument(fullState({ probed_at: "2026-01-02T03:04:05.000Z", health: { errors: 3 } })).document,
    ).toEqual(document);
    const [{ credentials: [key] = [], ...provider }] = document["providers"] as [Item & { credentials?: Item[] }];
    expect([provider, key]).toEqual([
      { name: "openai", kind: "openai", enabled: true },
      { name: "main", is_active: true, api_key: "${OPENAI_MAIN_API_KEY}" },
    ]);
    const [exported] = document["projects"] as [Readonly<Record<string, readonly Item[]>>];
    expect(exported).toEqual({
      uuid: projectUuid,
      name: "Support",
      project_type: "ai_gateway",
      rate_limit_per_minute: 600,
      rate_limit_per_hour: null,
      guardrails: expect.objectContaining({ pii: { mode: "block", entities: ["email"] } }) as unknown,
      tokens: [{ name: "app", scopes: ["chat", "mcp"], environment: "live" }],
      issuers: [{ issuer: "https://id.example", audience: "gatehouse", scopes: ["chat"], revoked_subjects: ["ann"] }],
      oauth_connections: [
        { name: "crm", token_url: "https://a.example/token", client_secret: "${SUPPORT_CRM_CLIENT_SECRET}" },
      ],
      endpoints: [{ slug: "demo", is_active: true, targets: [{ provider: "openai", model: "m" }] }],
      upstreams: [
        {
          prefix: "files",
          url: "https://a.example/mcp",
          is_active: false,
          bearer_token: "${SUPPORT_FILES_BEARER_TOKEN}",
        },
      ],
      webhooks: [{ name: "hook", url: "https://a.example/", events: ["token.created"], is_active: true }],
    });
  });

  test("tokens, webhooks and credentials that share a name are each paired once", () => {
    const [only] = state.projects;
    const [provider] = state.providers;
    if (only === undefined || provider === undefined) throw new Error("The state has a project and a provider.");
    const double = <Item extends JsonObject>(items: readonly Item[], change: JsonObject) => [
      ...items,
      ...items.map((item) => ({ ...item, id: 77, ...change })),
    ];
    const tokens = double(only.tokens, { scopes: ["models"] });
    const webhooks = double(only.webhooks, { url: "https://b.example/" });
    const credentials = double(provider.credentials, { is_active: false });
    const twins = { providers: [{ ...provider, credentials }], projects: [{ ...only, tokens, webhooks }] };
    const document = parseDocument(exportDocument(twins).document);
    expect(planChanges(document, twins)).toEqual([]);
    expect(planChanges(document, state)).toMatchObject([
      { action: "create", kind: "credential" },
      { action: "update", kind: "credential", arguments: { is_active: false }, made: { argument: "credential_id" } },
      { action: "create", kind: "webhook", arguments: { url: "https://b.example/" } },
      { action: "create", kind: "token", arguments: { scopes: ["models"] } },
    ]);
  });

  test("an exported configuration holds no ids, times or nulls of items", () => {
    expect(JSON.stringify(exportDocument(state))).not.toMatch(/created_at|"id"|hint|input_price/);
  });

  test("an empty installation gets providers, then projects, then their contents", () => {
    const changes = planChanges(parseDocument(exportDocument(state).document), emptyGateway);
    expect(changes.map(({ operation }) => operation)).toEqual([
      "svc_create_provider",
      "svc_create_credential",
      "svc_create_project",
      "svc_set_guardrails",
      "svc_create_endpoint",
      "svc_create_webhook",
      "svc_create_token",
    ]);
  });

  test("an unknown setting of an existing item is planned, and refused by its operation", () => {
    const document = { providers: [{ name: "openai", credentials: [{ name: "main", api_key: "k", api_kee: "k" }] }] };
    expect(plan(document)).toMatchObject([
      { operation: "svc_update_credential", arguments: { credential_id: 4, api_kee: "k" }, fields: ["api_kee"] },
    ]);
  });

  test("an unknown setting is planned even if it is null, which an absent setting equals", () => {
    const [endpoint, token] = [
      { slug: "demo", monthly_budget_us: null },
      { name: "app", rate_limit_per_mnute: null },
    ];
    const document = {
      providers: [{ name: "openai", base_ur: null }],
      projects: [wanted({ rate_limit_per_mnute: null, endpoints: [endpoint], tokens: [token] })],
    };
    expect(plan(document).map(({ operation, fields = [] }) => [operation, ...fields])).toEqual([
      ["svc_update_provider", "base_ur"],
      ["svc_update_project", "rate_limit_per_mnute"],
      ["svc_update_endpoint", "monthly_budget_us"],
      ["svc_update_token", "rate_limit_per_mnute"],
    ]);
  });

  test("only what differs is changed", () => {
    const endpoints = [{ slug: "demo", targets: [{ provider: "openai", model: "other" }], is_active: true }];
    expect(plan({ projects: [wanted({ endpoints })] })).toMatchObject([
      { action: "update", kind: "endpoint", name: "demo", fields: ["targets"], operation: "svc_update_endpoint" },
    ]);
  });

  test("values that differ only in their written form are not a change", () => {
    const [only] = state.projects;
    const [token] = only?.tokens ?? [];
    const [endpoint] = only?.endpoints ?? [];
    if (only === undefined || token === undefined || endpoint === undefined) throw new Error("The state has them.");
    const kept = { expires_at: "2030-12-31T23:00:00.000Z", endpoints: ["a", "b"], networks: ["10.0.0.0/8"] };
    const api = { ...endpoint.settings, upstream_url: "https://api.example.com/", allowed_methods: ["GET", "POST"] };
    const endpoints = [{ ...endpoint, settings: api }];
    const current = { ...state, projects: [{ ...only, tokens: [{ ...token, ...kept }], endpoints }] };
    const written = {
      endpoints: [
        { slug: "demo", upstream_url: "HTTPS://API.example.com:443", allowed_methods: ["post", "get", "GET"] },
      ],
      tokens: [
        {
          name: "app",
          scopes: ["mcp", "chat", "chat"],
          expires_at: "2031-01-01t00:00:00+01:00",
          endpoints: ["b", "a", "b"],
          networks: ["10.0.0.0/8", "10.0.0.0/8"],
        },
      ],
    };
    expect(plan({ projects: [wanted(written)] }, current)).toEqual([]);
    const later = { ...written, tokens: [{ name: "app", expires_at: "2031-01-01T00:00:00Z" }] };
    expect(plan({ projects: [wanted(later)] }, current)).toMatchObject([{ kind: "token", fields: ["expires_at"] }]);
  });

  test("switching off is a separate operation", () => {
    const change = plan({ projects: [wanted({ endpoints: [{ slug: "demo", is_active: false }] })] });
    expect(change).toMatchObject([{ operation: "svc_set_endpoint_active", arguments: { is_active: false } }]);
  });

  test("null removes a setting, and omitted settings stay", () => {
    expect(plan({ projects: [wanted({ rate_limit_per_minute: null })] })).toMatchObject([
      { operation: "svc_update_project", fields: ["rate_limit_per_minute"] },
    ]);
    expect(plan({ projects: [wanted({})] })).toEqual([]);
  });

  const upstreamOf = (settings: JsonObject, shown: JsonObject) => {
    const document = { version: 1, projects: [{ name: "Tools", project_type: "mcp_gateway", upstreams: [settings] }] };
    const settled = { denied_tools: [], session_mode: "per_token", call_timeout_ms: 300_000, has_bearer_token: false };
    const upstream = { id: 2, prefix: "files", url: "https://a.example/mcp", ...settled, ...shown };
    const [empty] = state.projects;
    if (empty === undefined) throw new TypeError("There is no project.");
    const tools = { ...empty, settings: { ...project, name: "Tools", project_type: "mcp_gateway" } };
    return planChanges(parseDocument(document), { providers: [], projects: [{ ...tools, upstreams: [upstream] }] });
  };

  test("null for a setting that has its default, and for a token that is not there, changes nothing", () => {
    const nulls = {
      prefix: "files",
      session_mode: null,
      denied_tools: null,
      call_timeout_ms: null,
      bearer_token: null,
    };
    expect(upstreamOf(nulls, {})).toEqual([]);
    const [change, ...others] = upstreamOf(nulls, { session_mode: "shared", has_bearer_token: true });
    expect(change?.fields).toEqual(["session_mode", "bearer_token"]);
    expect(change?.arguments).toEqual({ upstream_id: 2, session_mode: null, bearer_token: null });
    expect(others).toEqual([]);
  });

  test("null removes a policy that is there", () => {
    const wanted = {
      name: "Support",
      project_type: "ai_gateway",
      guardrails: null,
      endpoints: [{ slug: "demo", guardrails: null }],
    };
    expect(planChanges(parseDocument({ version: 1, projects: [wanted] }), state)).toMatchObject([
      { action: "update", kind: "guardrails", name: "Support", fields: ["clear"], arguments: { clear: true } },
    ]);
  });

  test("a policy is compared as a whole, with defaults", () => {
    const same = { pii: { mode: "block", entities: ["email"] } };
    expect(plan({ projects: [wanted({ guardrails: same })] })).toEqual([]);
    expect(plan({ projects: [wanted({ guardrails: { keywords: ["falcon"] } })] })).toMatchObject([
      { operation: "svc_set_guardrails", action: "update" },
    ]);
  });

  const checks = { pii: { mode: "block", entities: ["email"] } };
  test.each<[string, object, object]>([
    ["the entities of a check", { pii: { mode: "block" } }, checks],
    ["an action", checks, { pii: { ...checks.pii, actions: { email: "off" } } }],
    ["exceptions", { secrets: { mode: "block" } }, { secrets: { mode: "block", except: ["generic_secret"] } }],
    [
      "a threshold",
      { prompt_injection: { mode: "block" } },
      { prompt_injection: { mode: "block", threshold: "quiet" } },
    ],
    [
      "the mode of a pattern",
      { patterns: [{ pattern: "A" }] },
      { patterns: [{ name: "A", pattern: "A", mode: "log" }] },
    ],
    [
      "the tool of a pattern",
      { patterns: [{ pattern: "A" }] },
      { patterns: [{ name: "A", pattern: "A", tool: "t", mode: "block" }] },
    ],
    ["the scope of a rule", { rules: [{ name: "r" }] }, { rules: [{ name: "r", when: { roles: ["tool"] } }] }],
    [
      "the failure of a guardrail elsewhere",
      { external: [{ name: "j", kind: "http", url: "https://a.example/" }] },
      { external: [{ name: "j", kind: "http", url: "https://a.example/", on_failure: "open" }] },
    ],
  ])("%s that the document leaves out is reset", (_what, given, current) => {
    const present = state.projects.map((each) => ({ ...each, guardrails: { source: "project", ...current } }));
    expect(plan({ projects: [wanted({ guardrails: given })] }, { ...state, projects: present })).toMatchObject([
      { operation: "svc_set_guardrails", action: "update" },
    ]);
  });

  test.each([
    ["mcp_gateway", "mcp"],
    ["api_gateway", "api"],
    ["ai_wrapper", "chat"],
  ])("a policy without surfaces is one for the traffic of its project's type: %s", (type, surface) => {
    const planWith = (surfaces: readonly string[]) => {
      const present = state.projects.map(({ settings, ...each }) => ({
        ...each,
        settings: { ...settings, project_type: type },
        guardrails: { source: "project", keywords: ["falcon"], surfaces },
      }));
      const project = wanted({ project_type: type, guardrails: { keywords: ["falcon"] } });
      return plan({ projects: [project] }, { ...state, projects: present });
    };
    expect(planWith([surface])).toEqual([]);
    expect(planWith(["chat", "mcp"])).toMatchObject([{ operation: "svc_set_guardrails", action: "update" }]);
  });

  test.each<[string, object, object]>([
    ["surfaces in another order", { surfaces: ["mcp", "chat", "mcp"] }, { surfaces: ["chat", "mcp"] }],
    [
      "the scope of a rule in another order",
      {
        rules: [
          {
            name: "r",
            when: { roles: ["tool", "assistant"], sides: ["output", "input"], headers: { "X-A": ["b", "a"] } },
          },
        ],
      },
      {
        rules: [
          {
            name: "r",
            when: { roles: ["assistant", "tool"], sides: ["input", "output"], headers: { "x-a": ["a", "b"] } },
            apply_to_output: true,
          },
        ],
      },
    ],
    [
      "null inside a check",
      { pii: { mode: "mask", entities: null }, prompt_injection: { mode: "log", threshold: null } },
      {
        pii: { mode: "mask", entities: ["api_key", "credit_card", "iban", "email", "phone_number", "ip_address"] },
        prompt_injection: { mode: "log", threshold: "default" },
      },
    ],
  ])("%s changes nothing", (_what, given, current) => {
    const present = state.projects.map((each) => ({ ...each, guardrails: { source: "project", ...current } }));
    expect(plan({ projects: [wanted({ guardrails: given })] }, { ...state, projects: present })).toEqual([]);
  });

  test.each([
    ["rules", { rules: [{ name: "tools", when: { surfaces: ["mcp"] }, keywords: ["falcon"] }] }],
    ["a policy on trial", { shadow: { prompt_injection: { mode: "block" } } }],
    ["numbered masks", { reversible_masks: true }],
    ["findings", { findings: "excerpt" }],
    ["a guardrail elsewhere", { external: [{ name: "judge", kind: "http", url: "https://a.example/" }] }],
  ])("%s added to a policy are a change, and none once they are stored", (_what, added) => {
    const wantedPolicy = { pii: { mode: "block", entities: ["email"] }, ...added };
    expect(plan({ projects: [wanted({ guardrails: wantedPolicy })] })).toMatchObject([
      { operation: "svc_set_guardrails", action: "update", arguments: wantedPolicy },
    ]);
    const filled = state.projects.map((each) => ({ ...each, guardrails: { ...policy, ...added } }));
    expect(plan({ projects: [wanted({ guardrails: wantedPolicy })] }, { ...state, projects: filled })).toEqual([]);
  });

  describe("an external guardrail", () => {
    const judge = { name: "judge", kind: "http", url: "https://a.example/", mode: "block" };
    const kept = { ...policy, external: [{ ...judge, timeout_ms: 2_000, secret_kept: true }] };
    const judged = { ...state, projects: state.projects.map((each) => ({ ...each, guardrails: kept })) };

    test("is exported with a name for its secret, which is needed only to create it", () => {
      const { document, secretNames, secretPlaces } = exportDocument(judged);
      const name = "SUPPORT_GUARDRAILS_JUDGE_SECRET";
      expect(secretNames).toContain(name);
      expect(secretPlaces).toMatchObject({
        [`guardrails/${projectUuid}/judge`]: name,
        "credential/4/api_key": "OPENAI_MAIN_API_KEY",
      });
      expect(JSON.stringify(document)).not.toContain("secret_kept");
      expect(plan(document, judged)).toEqual([]);
      const missing = planChanges(parseDocument(document), emptyGateway).flatMap(findReferences);
      expect(missing).toMatchObject([{ field: "api_key" }, { name, field: "external[0].secret" }]);
    });

    test("keeps its secret through a change of the policy", () => {
      const guardrails = { pii: { mode: "mask" }, external: [{ ...judge, secret: "${ANY}" }] };
      const [change] = plan({ projects: [wanted({ guardrails })] }, judged);
      expect(change?.arguments).toMatchObject({ external: [{ ...judge, secret_kept: true }] });
      expect(change === undefined ? [] : findReferences(change)).toEqual([]);
    });
  });

  test("lists whose order is irrelevant are compared as sets", () => {
    expect(plan({ projects: [wanted({ tokens: [{ name: "app", scopes: ["mcp", "chat"] }] })] })).toEqual([]);
  });

  test("a provider's address and a token's limits are changed in place", () => {
    const tokens = [{ name: "app", scopes: ["chat", "mcp"], rate_limit_per_minute: 5 }];
    const document = {
      providers: [{ name: "openai", kind: "openai", base_url: "https://a.example/v1" }],
      projects: [wanted({ tokens })],
    };
    expect(plan(document)).toMatchObject([
      { operation: "svc_update_provider", arguments: { provider: "openai", base_url: "https://a.example/v1" } },
      { operation: "svc_update_token", arguments: { token_id: 9, rate_limit_per_minute: 5 } },
    ]);
  });

  test("an export names each secret, and a plan lists those missing for new items", () => {
    const { document, secretNames } = exportDocument(state);
    expect(secretNames).toEqual(["OPENAI_MAIN_API_KEY"]);
    expect(document).toMatchObject({ providers: [{ credentials: [{ api_key: "${OPENAI_MAIN_API_KEY}" }] }] });
    const missing = planChanges(parseDocument(document), emptyGateway).flatMap(findReferences);
    expect(missing).toMatchObject([
      { name: "OPENAI_MAIN_API_KEY", field: "api_key", change: { kind: "credential", name: "openai/main" } },
    ]);
    expect(planChanges(parseDocument(document), state)).toEqual([]);
  });

  test("names of secrets are made of letters, digits and underscores, and are unique", () => {
    const names = new SecretNames({});
    expect(names.referTo(["a b", "ä", "api_key"], "credential/1/api_key")).toBe("${A_B_API_KEY}");
    expect(names.referTo(["a-b", "api_key"], "credential/2/api_key")).toBe("${A_B_API_KEY_2}");
    expect(names.referTo(["1st"], "credential/3/api_key")).toBe("${_1ST}");
  });

  test("a name that occurs as a reference in a text of the configuration is not given to a secret", () => {
    const [ours] = state.projects;
    const settings = {
      uuid: "e-2",
      slug: "draft",
      description: "${OPENAI_MAIN_API_KEY}",
      targets: [{ note: ["${OPENAI_MAIN_API_KEY_2}"] }],
    };
    const projects = [{ ...ours, endpoints: [{ settings, guardrails: undefined }] }] as ConfigurationState["projects"];
    const { document, secretNames } = exportDocument({ ...state, projects });
    expect(secretNames).toEqual(["OPENAI_MAIN_API_KEY_3"]);
    expect(document).toMatchObject({
      providers: [{ credentials: [{ api_key: "${OPENAI_MAIN_API_KEY_3}" }] }],
      projects: [{ endpoints: [{ description: "${OPENAI_MAIN_API_KEY}" }] }],
    });
  });

  test("an item that a document deactivates is deactivated after its creation", () => {
    const upstream = { prefix: "files", url: "https://a.example/mcp", is_active: false };
    const webhook = { name: "audit", url: "https://a.example/", events: ["token.created"], is_active: false };
    const changes = plan({ projects: [wanted({ upstreams: [upstream], webhooks: [webhook] })] });
    const operations = ["svc_create_upstream", "svc_update_upstream", "svc_create_webhook", "svc_set_webhook_active"];
    expect(changes.map(({ operation }) => operation)).toEqual(operations);
    expect(changes[3]?.made).toEqual({ argument: "webhook_id", by: changes[2] });
  });

  test("a text that looks like a reference is a text: an export of it changes nothing and lacks nothing", () => {
    const [{ endpoints, tokens, ...rest }] = state.projects as [(typeof state.projects)[number]];
    const [endpoint] = endpoints as [(typeof endpoints)[number]];
    const texts = {
      description: "${GATEHOUSE_ADMIN_KEY}",
      system_prompt: "${HOME}",
      parameters: { api_key: "${HOME}" },
    };
    const trap = { ...endpoint, settings: { ...endpoint.settings, ...texts } };
    const named = tokens.map((token) => ({ ...token, name: "${PATH}" }));
    const trapped = { ...state, projects: [{ ...rest, tokens: named, endpoints: [trap] }] };
    const { document, secretNames } = exportDocument(trapped);
    expect(secretNames).toEqual(["OPENAI_MAIN_API_KEY"]);
    expect(planChanges(parseDocument(document), trapped)).toEqual([]);
    const changes = planChanges(parseDocument(document), emptyGateway);
    expect(changes.flatMap(findReferences)).toMatchObject([{ field: "api_key" }]);
    expect(changes.find(({ kind }) => kind === "endpoint")?.arguments).toMatchObject({
      description: texts.description,
    });
  });

  test("an escaped secret is applied as its text, and is not missing", () => {
    const upstreams = ["$${HOME}", "$$${HOME}", "${HOME}", "$$", "a $${HOME}"].map((token, index) => ({
      prefix: `u${index}`,
      bearer_token: token,
    }));
    const changes = plan({ projects: [{ name: "New", project_type: "mcp_gateway", upstreams }] }).slice(1);
    expect(changes.map((change) => change.arguments["bearer_token"])).toEqual([
      "${HOME}",
      "$${HOME}",
      "${HOME}",
      "$$",
      "a $${HOME}",
    ]);
    expect(changes.flatMap(findReferences)).toMatchObject([{ name: "HOME", change: { name: "u2" } }]);
  });

  test("a secret that is named again changes nothing", () => {
    const credentials = [{ name: "main", api_key: "sk-again" }];
    expect(plan({ providers: [{ name: "openai", kind: "openai", credentials }] })).toEqual([]);
  });

  test.each([
    ["a project's type", { projects: [{ name: "Support", project_type: "mcp_gateway" }] }, "cannot change"],
    ["a token's scopes", { projects: [wanted({ tokens: [{ name: "app", scopes: ["proxy"] }] })] }, "another scopes"],
  ])("%s cannot be changed", (_what, document, message) => {
    expect(() => plan(document)).toThrow(message);
  });

  describe("issuers", () => {
    const issuer = { issuer: "https://id.example", audience: "gatehouse", scopes: ["chat", "mcp"] };
    const known = {
      settings: {
        ...issuer,
        id: 5,
        project: projectUuid,
        scope_claim: "roles",
        jwks_url: null,
        rate_limit_per_minute: 9,
      },
      revokedSubjects: ["ann", "bob"],
    };
    const trusting = { ...state, projects: state.projects.map((each) => ({ ...each, issuers: [known] })) };
    const inDocument = { ...issuer, scope_claim: "roles", rate_limit_per_minute: 9, revoked_subjects: ["ann", "bob"] };

    test("are exported with their revoked subjects, and need no change where these are revoked", () => {
      const { document, secretNames } = exportDocument(trusting);
      expect(document["projects"]).toMatchObject([{ issuers: [inDocument] }]);
      expect(JSON.stringify(document)).not.toContain("created_at");
      expect(secretNames).toHaveLength(1);
      expect(plan(document, trusting)).toEqual([]);
    });

    test("are created with their revocations", () => {
      const changes = plan({ projects: [wanted({ issuers: [inDocument] })] });
      const { revoked_subjects: _revoked, ...settings } = inDocument;
      expect(changes).toMatchObject([
        { action: "create", kind: "issuer", operation: "svc_create_issuer", arguments: settings },
        { operation: "svc_revoke_subject", arguments: { subject: "ann" }, made: { argument: "issuer_id" } },
        { operation: "svc_revoke_subject", arguments: { subject: "bob" } },
      ]);
      expect(changes[1]?.made?.by).toBe(changes[0]);
    });

    test("are changed where they differ, and a revocation is never withdrawn", () => {
      const other = { ...issuer, audience: "other", revoked_subjects: ["carl"] };
      expect(plan({ projects: [wanted({ issuers: [other] })] }, trusting)).toMatchObject([
        { operation: "svc_update_issuer", arguments: { issuer_id: 5, audience: "other" }, fields: ["audience"] },
        { operation: "svc_revoke_subject", arguments: { issuer_id: 5, subject: "carl" } },
      ]);
      const repeated = () => plan({ projects: [wanted({ issuers: [issuer, issuer] })] });
      expect(repeated).toThrow("document.projects[0].issuers has https://id.example twice");
    });
  });

  test("a name that two projects have is refused without a uuid, and their uuids are listed", () => {
    const other = state.projects.map((each) => ({
      ...each,
      settings: { ...each.settings, uuid: otherUuid },
    }));
    const twice = { ...state, projects: [...state.projects, ...other] };
    const message = `More than one project is named Support: add its uuid to the document (${projectUuid}, ${otherUuid}).`;
    expect(() => plan({ projects: [wanted({})] }, twice)).toThrow(message);
    expect(plan({ projects: [wanted({ uuid: otherUuid })] }, twice)).toEqual([]);
  });

  test("a project is found by its uuid in either case, also twice in one document", () => {
    const uuid = "0a1b2c3d-0000-4000-8000-00000000abcd";
    const known = { ...state, projects: state.projects.map((each) => ({ ...each, settings: { ...project, uuid } })) };
    const renamed = { ...wanted({ uuid: uuid.toUpperCase() }), name: "Renamed" };
    expect(plan({ projects: [renamed] }, known)).toMatchObject([
      { action: "update", kind: "project", fields: ["name"] },
    ]);
    const twice = () => plan({ projects: [renamed, { ...renamed, uuid }] }, known);
    expect(twice).toThrow(`document.projects has the project ${uuid} twice`);
  });

  test.each(["{0a1b2c3d-0000-4000-8000-00000000abcd}", "0a1b2c3d", " "])(
    "the uuid %j is refused, not passed over for the name",
    (uuid) => {
      expect(() => plan({ projects: [wanted({ uuid })] })).toThrow(
        /^document\.projects\[0\]\.uuid must be a UUID without braces/u,
      );
    },
  );

  test("a change of one of two tokens of a name is refused, and their ids are listed", () => {
    const token = { name: "app", scopes: ["chat"], environment: "live", is_active: true, rate_limit_per_minute: 1 };
    const tokens = [
      { ...token, id: 9 },
      { ...token, id: 12 },
    ];
    const twice = { ...state, projects: state.projects.map((each) => ({ ...each, tokens })) };
    const changed = { name: "app", rate_limit_per_minute: 5 };
    const { rate_limit_per_minute: _limit, ...same } = changed;
    expect(() => plan({ projects: [wanted({ tokens: [changed] })] }, twice)).toThrow(
      "More than one token is named app (ids 9, 12): name each of them in the document",
    );
    expect(plan({ projects: [wanted({ tokens: [same] })] }, twice)).toEqual([]);
    expect(plan({ projects: [wanted({ tokens: [changed, changed] })] }, twice)).toHaveLength(2);
  });

  test.each([
    ["an unknown member", { version: 1, project: [] }, "Unknown argument: document.project. Did you mean 'projects'?"],
    ["another version", { version: 2 }, "Invalid document.version: 2"],
    ["no version", {}, "Missing required argument: document.version"],
    ["an item that is not an object", { version: 1, projects: ["x"] }, "document.projects[0] must be object"],
    ["no name", { version: 1, providers: [{}] }, "document.providers[0].name"],
    [
      "a repeated slug",
      { version: 1, projects: [wanted({ endpoints: [{ slug: "a" }, { slug: "a" }] })] },
      "document.projects[0].endpoints has a twice",
    ],
  ])("a document with %s is refused by its place", (_what, document, message) => {
    expect(() => planChanges(parseDocument(document), emptyGateway)).toThrow(message);
  });
});
