import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Present, type ProjectType, refusedDocuments, validItems } from "../src/apply/refused-documents.ts";
import { ControlPlaneClient, type Json } from "../src/control-plane-client.ts";
import { processNames, type Product, startServices, startStandalone } from "../src/product.ts";
import { describePolicyDocuments, hundredsOfCallsMs } from "./suite/policy-document-suite.ts";
import { secretReferenceEnv } from "./suite/secret-reference-suite.ts";

/** A configuration document is applied as a whole: a refusal precedes all writes, and a dry run gives the same one. */

let server: Server;
/** One process for most tests, and one per service where one of them must end. */
let together: Product;
let apart: Product;
let control: ControlPlaneClient;
let present: Present;
/** Runs while a client of the slow token endpoint waits. */
let onSlow: () => Promise<unknown> = async () => await Promise.resolve();

beforeAll(async () => {
  const answer = JSON.stringify({ access_token: "t", token_type: "Bearer", expires_in: 3_600, keys: [] });
  server = createServer((req, res) => {
    const reply = () => res.writeHead(200, { "content-type": "application/json" }).end(answer);
    req.resume().on("end", () => (req.url === "/slow" ? void onSlow().finally(reply) : reply()));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { EGRESS_ALLOW: "127.0.0.0/8", ...secretReferenceEnv };
  [together, apart] = await Promise.all([startStandalone({ env }), startServices({ env })]);
  control = new ControlPlaneClient(together);
  present = { provider: "models", address, projects: await fill(address) };
});
afterAll(async () => {
  await Promise.all([together?.stop(), apart?.stop()]);
  server.close();
});

/** One item of each kind, in a project of each type. */
async function fill(address: string): Promise<Readonly<Record<ProjectType, string>>> {
  const kind = "openai-compatible";
  const issuer = {
    issuer: "https://id.example/",
    audience: "gatehouse",
    scopes: ["chat"],
    jwks_url: `${address}/jwks`,
  };
  const webhook = { name: "hook", url: `${address}/hook`, events: ["token.created"] };
  const grant = "client_credentials";
  const connection = { name: "crm", token_url: `${address}/token`, client_id: "c", client_secret: "s", grant };
  const auth = { type: "oauth", connection: "crm" };
  const proxied = { slug: "crm", upstream_url: `${address}/crm`, allowed_methods: ["GET"], auth };
  const common = { tokens: [{ name: "app", scopes: ["chat"] }], webhooks: [webhook], issuers: [issuer] };
  const ask = { slug: "ask", targets: [{ provider: "models", model: "m" }], guardrails: { keywords: ["falcon"] } };
  const items: Readonly<Record<ProjectType, Json>> = {
    ai_gateway: { endpoints: [ask] },
    ai_wrapper: { endpoints: [ask] },
    mcp_gateway: { upstreams: [{ prefix: "files", url: `${address}/mcp`, bearer_token: "b" }] },
    api_gateway: { oauth_connections: [connection], endpoints: [proxied] },
  };
  const types = Object.keys(items) as ProjectType[];
  const projects = types.map((type) => ({ name: `Present ${type}`, project_type: type, ...common, ...items[type] }));
  const providers = [
    { name: "models", kind, base_url: `${address}/v1`, credentials: [{ name: "main", api_key: "k" }] },
  ];
  await control.call("svc_apply_config", { document: { version: 1, providers, projects } });
  const listed = await control.call<{ projects: { uuid: string; project_type: ProjectType }[] }>("svc_list_projects");
  return Object.fromEntries(listed.projects.map(({ uuid, project_type: type }) => [type, uuid])) as Present["projects"];
}

interface Verdict {
  readonly refused: string | undefined;
  readonly result: Json;
}

async function apply(document: Json, isDryRun: boolean): Promise<Verdict> {
  const args = { document, dry_run: isDryRun };
  const { error, result } = await control.request("tools/call", { name: "svc_apply_config", arguments: args });
  if (error !== undefined) return { refused: `${error.code} ${error.message}`, result: {} };
  return { refused: undefined, result: (result as { structuredContent: Json }).structuredContent };
}

async function exported(): Promise<unknown> {
  return (await control.call("svc_export_backup"))["document"];
}

test(
  "a document with an item that any rule refuses is refused as a whole, in a dry run too, and nothing is written",
  async () => {
    const before = await exported();
    const documents = refusedDocuments(present);
    const wrong: unknown[] = [];
    for (const { rule, document, message } of documents) {
      const dry = await apply(document, true);
      const real = await apply(document, false);
      const isRefused = dry.refused?.startsWith("-32602 ") === true && message.test(dry.refused);
      if (!isRefused || dry.refused !== real.refused)
        wrong.push([rule, dry.refused, real.refused, real.result["failed"]]);
    }
    expect(wrong).toEqual([]);
    expect(await exported()).toEqual(before);
    expect(documents.length).toBeGreaterThan(100);
  },
  hundredsOfCallsMs,
);

/** Values of every type, in and out of bounds: most are refused, for the same reason by both. */
const values: readonly unknown[] = [
  true,
  -1,
  0,
  7,
  1e12,
  "",
  "plain",
  "a".repeat(9_000),
  "http://10.0.0.1/",
  "https://example.com/x#f",
  [],
  ["chat"],
  [{}],
  {},
  { type: "none" },
];

test(
  "a dry run and a run give the same verdict for any value of any setting of a new item, and a refused one writes nothing",
  async () => {
    const { endpoint, proxied, upstream, webhook, token, issuer, connection } = validItems(present);
    const kinds = [
      ["svc_create_endpoint", "ai_gateway", "endpoints", endpoint],
      ["svc_create_endpoint", "api_gateway", "endpoints", proxied],
      ["svc_create_upstream", "mcp_gateway", "upstreams", upstream],
      ["svc_create_webhook", "ai_gateway", "webhooks", webhook],
      ["svc_create_token", "ai_gateway", "tokens", token],
      ["svc_create_issuer", "ai_gateway", "issuers", issuer],
      ["svc_create_oauth_connection", "api_gateway", "oauth_connections", connection],
    ] as const;
    const { result } = await control.request("tools/list");
    const { tools } = result as { tools: { name: string; inputSchema: { properties: Json } }[] };
    const before = await exported();
    const counts = { accepted: 0, refused: 0 };
    const wrong: unknown[] = [];
    let next = 0;
    for (const [operation, type, list, item] of kinds) {
      const settings = Object.keys(tools.find(({ name }) => name === operation)?.inputSchema.properties ?? {});
      for (const setting of settings.filter((name) => name !== "project")) {
        // Two values per setting, rotated over all kinds, to keep the test short.
        for (const value of [values[next % values.length], values[(next + 7) % values.length]]) {
          const project = { name: "Any value", project_type: type, [list]: [{ ...item, [setting]: value }] };
          const document = { version: 1, projects: [project] };
          const dry = await apply(document, true);
          const real = await apply(document, false);
          const isSame = dry.refused === real.refused && (real.result["failed"] ?? null) === null;
          if (!isSame) wrong.push([operation, setting, value, dry.refused, real.refused, real.result["failed"]]);
          counts[real.refused === undefined ? "accepted" : "refused"] += 1;
          if (real.refused === undefined) await removeProject("Any value");
        }
        next += 1;
      }
    }
    expect(wrong).toEqual([]);
    expect(await exported()).toEqual(before);
    expect(counts.accepted).toBeGreaterThan(10);
    expect(counts.refused).toBeGreaterThan(50);
  },
  hundredsOfCallsMs,
);

test(
  "null for any setting of an existing item is refused, or changes nothing the second time",
  async () => {
    const { endpoint, proxied, upstream, webhook, token, issuer, connection } = validItems(present);
    const kinds = [
      ["svc_update_project", "ai_gateway", "", {}],
      ["svc_update_endpoint", "ai_gateway", "endpoints", { ...endpoint, guardrails: { keywords: ["falcon"] } }],
      ["svc_update_endpoint", "api_gateway", "endpoints", proxied],
      ["svc_update_upstream", "mcp_gateway", "upstreams", { ...upstream, bearer_token: "b", session_mode: "shared" }],
      ["svc_update_webhook", "ai_gateway", "webhooks", webhook],
      ["svc_update_token", "ai_gateway", "tokens", token],
      ["svc_update_issuer", "ai_gateway", "issuers", issuer],
      ["svc_update_oauth_connection", "api_gateway", "oauth_connections", connection],
    ] as const;
    const identities = new Set(["project", "endpoint", "slug", "prefix", "name", "issuer"]);
    const { result } = await control.request("tools/list");
    const { tools } = result as { tools: { name: string; inputSchema: { properties: Json } }[] };
    const wrong: unknown[] = [];
    const counts = { applied: 0, refused: 0 };
    for (const [operation, type, list, item] of kinds) {
      const settings = Object.keys(tools.find(({ name }) => name === operation)?.inputSchema.properties ?? {});
      const changeable = settings.filter((name) => !identities.has(name) && !name.endsWith("_id"));
      const documentOf = (given: Json) => {
        const content = list === "" ? given : { [list]: [given] };
        return { version: 1, projects: [{ name: "Nulls", project_type: type, ...content }] };
      };
      await apply(documentOf({ ...item }), false);
      for (const setting of ["guardrails", ...changeable]) {
        const document = documentOf({ ...item, [setting]: null });
        const { refused } = await apply(document, false);
        const again = await apply(document, true);
        const isSettled =
          refused === undefined ? (again.result["changes"] as Json[]).length === 0 : again.refused === refused;
        if (!isSettled) wrong.push([operation, type, setting, refused, again.refused, again.result["changes"]]);
        counts[refused === undefined ? "applied" : "refused"] += 1;
      }
      await removeProject("Nulls");
    }
    expect(wrong).toEqual([]);
    expect(counts.applied).toBeGreaterThan(30);
    expect(counts.refused).toBeGreaterThan(10);
  },
  hundredsOfCallsMs,
);

async function removeProject(name: string): Promise<void> {
  const { projects } = await control.call<{ projects: { uuid: string; name: string }[] }>("svc_list_projects");
  for (const { uuid } of projects.filter((each) => each.name === name)) {
    await control.call("svc_delete_project", { project: uuid });
  }
}

/** Applies a document of six changes, of which the third requests a token; `meanwhile` runs at that time. */
async function applyWhile(
  meanwhile: () => Promise<unknown>,
): Promise<{ readonly document: Json; readonly result: Json }> {
  const { connection, proxied, webhook, token } = validItems(present);
  const slow = { ...connection, token_url: `${present.address}/slow` };
  const auth = { type: "oauth", connection: slow.name };
  const project = {
    name: "Stopped",
    project_type: "api_gateway",
    oauth_connections: [slow],
    endpoints: [{ ...proxied, auth }],
    webhooks: [webhook],
    tokens: [token],
  };
  const providers = [{ name: "stopped", kind: "mock" }];
  const document = { version: 1, providers, projects: [project] };
  onSlow = meanwhile;
  try {
    const { refused, result } = await apply(document, false);
    expect(refused).toBeUndefined();
    return { document, result };
  } finally {
    onSlow = async () => await Promise.resolve();
  }
}

/** Applies twice more; the second time nothing changes. */
async function expectConvergence(document: Json): Promise<void> {
  // A restarted owner may be ready before the Control Plane has connected to it again.
  await expect.poll(async () => (await apply(document, false)).result).toMatchObject({ failed: null });
  expect((await apply(document, true)).result).toMatchObject({ changes: [], failed: null });
  await removeProject("Stopped");
  await control.call("svc_delete_provider", { provider: "stopped" });
}

function outcomesOf(result: Json): readonly unknown[] {
  return (result["changes"] as Json[]).map(({ kind, outcome }) => `${String(kind)} ${String(outcome)}`);
}

test("an owner that stops midway leaves an answer with what was created, and the same document continues from there", async () => {
  control = new ControlPlaneClient(apart);
  await fill(present.address);
  const before = await exported();
  const { document, result } = await applyWhile(async () => {
    await apart.restart(processNames.indexOf("api-proxy"), "SIGKILL");
  });
  expect(outcomesOf(result)).toEqual([
    "provider made",
    "project made",
    "oauth_connection unknown",
    "endpoint not_made",
    "webhook not_made",
    "token not_made",
  ]);
  const failed = { kind: "oauth_connection", message: expect.stringContaining("Whether it was made is not known") };
  expect(result).toMatchObject({ applied: 2, secrets: [], failed });
  await expectConvergence(document);
  expect(await exported()).toEqual(before);
});

test("a change that conflicts with a concurrent one is refused, and items created before it stay, with their secrets", async () => {
  const { document, result } = await applyWhile(async () => {
    const { projects } = await control.call<{ projects: { uuid: string; name: string }[] }>("svc_list_projects");
    const project = projects.find(({ name }) => name === "Stopped")?.uuid;
    await control.call("svc_create_endpoint", { project, ...validItems(present).proxied });
  });
  expect(outcomesOf(result)).toEqual([
    "provider made",
    "project made",
    "oauth_connection made",
    "endpoint refused",
    "webhook not_made",
    "token not_made",
  ]);
  expect(result).toMatchObject({ applied: 3, failed: { message: expect.stringContaining("already exists") } });
  await expectConvergence(document);
});

test("documents are applied one at a time: another is refused meanwhile, a dry run is not, and nothing is created twice", async () => {
  const beside = { version: 1, projects: [{ name: "Beside", project_type: "ai_gateway" }] };
  const verdicts: Verdict[] = [];
  const { document } = await applyWhile(async () => {
    verdicts.push(await apply(beside, false), await apply(beside, true));
  });
  expect(verdicts).toEqual([
    { refused: expect.stringMatching(/^-32603 Another document is being applied\. Nothing was changed/), result: {} },
    { refused: undefined, result: expect.objectContaining({ applied: 0, failed: null }) },
  ]);
  await expectConvergence(document);

  const atOnce = await Promise.all([1, 2, 3, 4].map(async () => await apply(beside, false)));
  expect(atOnce.some(({ refused }) => refused === undefined)).toBe(true);
  const { projects } = await control.call<{ projects: { name: string }[] }>("svc_list_projects");
  expect(projects.filter(({ name }) => name === "Beside")).toHaveLength(1);
  await removeProject("Beside");
});

describePolicyDocuments(() => control);
