import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import {
  allowLoopback,
  type ProductWorld,
  ControlPlaneClient,
  exchange,
  type Json,
  openProductWorld,
  type ProjectFixture,
  uniqueName,
} from "@gatehouse/e2e";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

let world: ProductWorld;
let own: ProjectFixture;
let other: ProjectFixture;
let endpoints: { readonly own: string; readonly other: string };

beforeAll(async () => {
  world = await openProductWorld({ LOG_LEVEL: "error", TRUSTED_PROXIES: "127.0.0.0/8", ...allowLoopback });
  [own, other] = [await world.project(), await world.project()];
  endpoints = { own: (await world.endpoint({}, own)).uuid, other: (await world.endpoint({}, other)).uuid };
});
afterAll(async () => await world.stop());

/** Differs per test, since wrong keys delay their address. */
let address: string;
let tests = 0;
beforeEach(() => {
  tests += 1;
  address = `198.51.100.${tests}`;
});

interface Key {
  readonly id: number;
  readonly key: string;
}

async function issue(role: string, projects?: readonly string[], more: Json = {}): Promise<Key> {
  const given = { name: uniqueName(role), role, ...(projects === undefined ? {} : { projects }), ...more };
  return await world.control.call<Key>("svc_create_admin_key", given);
}

/** Result of a call, or the message of its error. */
async function ask({ key }: Pick<Key, "key">, name: string, args: Json): Promise<unknown> {
  const client = new ControlPlaneClient({ url: world.product.url, adminKey: key });
  return await client.call(name, args).catch((err: Error) => err.message);
}

type HeaderList = readonly (readonly [string, string])[];

/** Sends headers unchanged, including duplicates. */
async function send(path: string, options: { method?: string; headers?: HeaderList; body?: string } = {}) {
  const { method = "POST", headers = [], body } = options;
  const { host, hostname, port } = new URL(world.product.url);
  const outgoing = request({
    hostname,
    port,
    path,
    method,
    agent: false,
    headers: [
      "host",
      host,
      "x-forwarded-for",
      address,
      ...(body === undefined ? [] : ["content-length", String(body.length)]),
      ...headers.flat(),
    ],
  });
  outgoing.end(body);
  const [reply] = (await once(outgoing, "response")) as [IncomingMessage];
  return { status: reply.statusCode, headers: reply.headers, text: await text(reply) };
}

const listProjects = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "svc_list_projects", arguments: {} },
});

/** A person signed in at the console. */
async function signIn({ key }: Pick<Key, "key">) {
  const headers = { "x-forwarded-for": address };
  const reply = await exchange(`${world.product.url}/control/session`, { body: { key }, headers });
  expect(reply.status).toBe(200);
  const [cookie = ""] = (reply.headers["set-cookie"]?.[0] ?? "").split(";");
  const page = [
    ["cookie", cookie],
    ["origin", world.product.url],
    ["x-gatehouse-csrf", String(reply.body["csrf_token"])],
  ] as const;
  return { cookie, page };
}

const tokensOf = async (project: string) => await world.control.call("svc_list_tokens", { project });

describe("operations", () => {
  test("a batch is authorised call by call, and its refused calls change nothing", async () => {
    const viewer = await issue("viewer", [own.project]);
    const before = [await tokensOf(own.project), await tokensOf(other.project)];
    const calls: readonly [string, Json][] = [
      ["svc_list_tokens", { project: own.project }],
      ["svc_create_token", { project: own.project, name: "b", scopes: ["chat"] }],
      ["svc_list_tokens", { project: other.project }],
      ["svc_rotate_token", { token_id: other.tokenId }],
      ["svc_create_admin_key", { name: uniqueName("b"), role: "owner" }],
      ["svc_get_project", { project: own.project }],
    ];
    const batch = calls.map(([name, args], id) => ({
      jsonrpc: "2.0",
      id,
      method: "tools/call",
      params: { name, arguments: args },
    }));
    const reply = await exchange(`${world.product.url}/control/mcp`, { token: viewer.key, body: batch });
    const answers = JSON.parse(reply.text) as readonly { id: number; error?: { message: string } }[];
    expect(answers.toSorted((one, next) => one.id - next.id).map(({ error }) => error?.message ?? "done")).toEqual([
      "done",
      "Not allowed: svc_create_token needs the role editor.",
      `Project not found: ${other.project}`,
      "Not allowed: svc_rotate_token needs the role editor.",
      "Not allowed: svc_create_admin_key needs the role owner for the whole gateway.",
      "done",
    ]);
    expect([await tokensOf(own.project), await tokensOf(other.project)]).toEqual(before);
  });

  test("only owners of the gateway may apply configurations, also as a dry run", async () => {
    const document = { version: "1", projects: [{ uuid: other.project, name: "taken", project_type: "ai_gateway" }] };
    for (const who of [
      await issue("editor", [own.project]),
      await issue("owner", [own.project]),
      await issue("editor"),
    ]) {
      for (const dry of [{}, { dry_run: true }]) {
        expect(await ask(who, "svc_apply_config", { document, ...dry })).toMatch(/^Not allowed: svc_apply_config/);
      }
      expect(await ask(who, "svc_export_backup", {})).toMatch(/^Not allowed: svc_export_backup/);
    }
    expect(await world.control.call("svc_get_project", { project: other.project })).not.toMatchObject({
      name: "taken",
    });
  });

  test("another project's endpoint is not found, also when given with one's own project", async () => {
    const editor = await issue("editor", [own.project]);
    const notFound = `Endpoint not found: ${endpoints.other}`;
    const either = "Send either project or endpoint, not both.";
    // Arguments are validated before the endpoint is looked up, and only the usage can be asked of both.
    const besideProject = {
      svc_set_guardrails: either,
      svc_get_guardrails: either,
      svc_test_guardrails: either,
      svc_get_endpoint: "Unknown argument: project",
      svc_get_usage: notFound,
    };
    for (const [name, refusal] of Object.entries(besideProject)) {
      const alone = { endpoint: endpoints.other, ...(name === "svc_test_guardrails" ? { text: "x" } : {}) };
      expect(await ask(editor, name, { ...alone, project: own.project }), name).toBe(refusal);
      expect(await ask(editor, name, alone), name).toBe(notFound);
    }
    const shouted = endpoints.other.toUpperCase();
    expect(await ask(editor, "svc_get_endpoint", { endpoint: shouted })).toBe(`Endpoint not found: ${shouted}`);
  });

  test.each<[string, (uuid: string) => string]>([
    ["named twice", (uuid) => `{"project":"${own.project}","project":"${uuid}"}`],
    ["by an escaped name", (uuid) => `{"\\u0070roject":"${uuid}"}`],
    ["by the prototype", (uuid) => `{"__proto__":{"project":"${uuid}"}}`],
    ["in a list", (uuid) => `{"project":["${uuid}"]}`],
    ["in an object", (uuid) => `{"project":{"uuid":"${uuid}"}}`],
    ["with space around", (uuid) => `{"project":" ${uuid} "}`],
    ["in other letters", (uuid) => `{"project":"${uuid.toUpperCase()}"}`],
    ["beside null", (uuid) => `{"project":null,"Project":"${uuid}"}`],
  ])("data of another project %s is not readable", async (_name, args) => {
    const viewer = await issue("viewer", [own.project]);
    const second = await issue("viewer", [own.project, (await world.project()).project]);
    for (const name of ["svc_list_tokens", "svc_query_gateway_log", "svc_query_audit_log", "svc_get_usage"]) {
      for (const { key } of [viewer, second]) {
        const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args(other.project)}}}`;
        const reply = await exchange(`${world.product.url}/control/mcp`, { token: key, body });
        expect(reply.status, name).toBeLessThan(500);
        expect(JSON.parse(reply.text), name).not.toHaveProperty("result");
      }
    }
  });

  test("logs and usage without a project cover the caller's only project, or are refused", async () => {
    const [, second] = [await world.project(), await world.project()];
    const one = await issue("viewer", [own.project]);
    const two = await issue("viewer", [own.project, second.project]);
    const answer = await ask(one, "svc_query_audit_log", { limit: 200 });
    const { entries } = answer as { entries: readonly { project: { uuid: string } | null }[] };
    expect(entries.length).toBeGreaterThan(0);
    expect(entries.filter(({ project }) => project?.uuid !== own.project)).toEqual([]);
    for (const name of ["svc_query_audit_log", "svc_query_gateway_log", "svc_get_usage", "svc_verify_audit_log"]) {
      expect(await ask(two, name, {}), name).toMatch(/^Missing required argument: project/);
      expect(await ask(two, name, { project: null }), name).toMatch(/^Missing required argument: project/);
    }
  });
});

describe("webhooks for events of the whole gateway", () => {
  const url = "http://127.0.0.1:9/hook";
  const refused = /^Not allowed: the event '[a-z_.]+' is of the whole gateway/;

  test.each(["project.created", "admin_key.created", "auth.login_failed", "credential.created", "backup.exported"])(
    "cannot be created by an administrator of named projects: %s",
    async (event) => {
      const made = { project: own.project, name: uniqueName("hook"), url };
      for (const who of [await issue("editor", [own.project]), await issue("owner", [own.project])]) {
        expect(await ask(who, "svc_create_webhook", { ...made, events: ["token.created", event] })).toMatch(refused);
        const { id } = (await ask(who, "svc_create_webhook", { ...made, events: ["token.created"] })) as { id: number };
        expect(await ask(who, "svc_update_webhook", { webhook_id: id, events: [event] })).toMatch(refused);
      }
      const gateway = await issue("editor");
      expect(await ask(gateway, "svc_create_webhook", { ...made, events: [event] })).toMatchObject({ events: [event] });
    },
  );

  test("are hidden from such administrators, with their deliveries", async () => {
    const editor = await issue("editor", [own.project]);
    const made = { project: own.project, name: uniqueName("hook"), url, events: ["project.created"] };
    const { id: webhook_id } = await world.control.call<{ id: number }>("svc_create_webhook", made);
    const { project } = await world.project();
    const deliveries = async () =>
      (await world.control.call<{ deliveries: { id: number }[] }>("svc_list_deliveries", { webhook_id })).deliveries;
    await expect.poll(deliveries, { timeout: 10_000 }).not.toEqual([]);
    const [delivery_id] = (await deliveries()).map(({ id }) => id);
    for (const [name, args] of [
      ["svc_update_webhook", { webhook_id, url: "http://127.0.0.1:9/mine" }],
      ["svc_set_webhook_active", { webhook_id, is_active: true }],
      ["svc_rotate_webhook_secret", { webhook_id }],
      ["svc_test_webhook", { webhook_id }],
      ["svc_list_deliveries", { webhook_id }],
      ["svc_redeliver", { delivery_id }],
      ["svc_delete_webhook", { webhook_id }],
    ] as const) {
      expect(await ask(editor, name, args), name).toMatch(refused);
    }
    // After a change of its subscription, earlier deliveries stay hidden.
    await world.control.call("svc_update_webhook", { webhook_id, events: ["token.created"] });
    const listed = await ask(editor, "svc_list_deliveries", { webhook_id });
    expect(JSON.stringify(listed)).not.toContain(project);
    expect(await ask(editor, "svc_redeliver", { delivery_id })).toMatch(refused);
  });
});

describe("admin keys", () => {
  test("are rotated and revoked only by the gateway's owners, and old ones are refused at once", async () => {
    const keys = [await issue("editor"), await issue("viewer"), await issue("owner", [own.project])];
    const victim = await issue("owner");
    for (const who of keys) {
      for (const { id } of [who, victim]) {
        expect(await ask(who, "svc_rotate_admin_key", { admin_key_id: id })).toMatch(/^Not allowed: /);
        expect(await ask(who, "svc_revoke_admin_key", { admin_key_id: id })).toMatch(/^Not allowed: /);
      }
      expect(await ask(who, "svc_list_admin_keys", {})).toMatch(/^Not allowed: /);
    }
    const { cookie } = await signIn(victim);
    const rotated = (await ask(victim, "svc_rotate_admin_key", { admin_key_id: victim.id })) as Key;
    const status = async (token: string) =>
      (await exchange(`${world.product.url}/control/mcp`, { token, body: listProjects })).status;
    await expect.poll(async () => await status(victim.key), { timeout: 5_000, interval: 10 }).toBe(401);
    expect(await status(rotated.key)).toBe(200);
    expect((await send("/control/session", { method: "GET", headers: [["cookie", cookie]] })).status).toBe(401);
  });

  test("expire, and end their open sessions", async () => {
    const lastsMs = 2_500;
    const expiring = await issue("viewer", undefined, { expires_at: new Date(Date.now() + lastsMs).toISOString() });
    const { page } = await signIn(expiring);
    const call = async (headers: HeaderList) => (await send("/control/mcp", { headers, body: listProjects })).status;
    expect(await call(page)).toBe(200);
    await expect.poll(async () => await call(page), { timeout: lastsMs + 5_000, interval: 50 }).toBe(401);
    expect(await call([["authorization", `Bearer ${expiring.key}`]])).toBe(401);
    expect((await exchange(`${world.product.url}/control/session`, { body: { key: expiring.key } })).status).toBe(401);
  });

  test("are refused as access tokens, and access tokens as admin keys", async () => {
    const { key } = await issue("owner");
    const { adminKey } = world.product;
    for (const token of [own.token, own.token.replace(/^svc_live_/, "svc_admin_")]) {
      const control = await exchange(`${world.product.url}/control/mcp`, { token, body: listProjects });
      expect(control.status).toBe(401);
      expect((await exchange(`${world.product.url}/control/session`, { body: { key: token } })).status).toBe(401);
      expect((await exchange(`${world.product.url}/metrics`, { method: "GET", token })).status).toBe(401);
    }
    for (const admin of [key, adminKey, key.replace(/^svc_admin_/, "svc_live_")]) {
      for (const path of [`/api/${own.project}/chat/completions`, `/api/${own.project}/mcp`]) {
        expect((await world.ask(path, { token: admin, body: { message: "x" } })).status).toBe(401);
      }
    }
  });

  test.each<[string, (key: string) => string, number]>([
    ["in the standard form", (key) => `Bearer ${key}`, 200],
    ["with the scheme in another case", (key) => `bEaReR ${key}`, 200],
    ["with more space before it", (key) => `Bearer \t ${key}`, 200],
    ["with space inside its prefix", (key) => `Bearer ${key.replace("svc_admin_", "svc_admin_ ")}`, 401],
    ["with its prefix in capitals", (key) => `Bearer ${key.replace("svc_admin_", "SVC_ADMIN_")}`, 401],
    ["in capitals", (key) => `Bearer ${key.toUpperCase()}`, 401],
    ["followed by a word", (key) => `Bearer ${key} x`, 401],
    ["twice in one header", (key) => `Bearer ${key}, Bearer ${key}`, 401],
    ["without its last character", (key) => `Bearer ${key.slice(0, -1)}`, 401],
    ["without a scheme", (key) => key, 401],
    ["with another scheme", (key) => `Basic ${Buffer.from(`:${key}`).toString("base64")}`, 401],
    ["with only the prefix", () => "Bearer svc_admin_", 401],
    ["with a quote", (key) => `Bearer "${key}"`, 401],
  ])("%s", async (_name, form, status) => {
    const { key } = await issue("viewer");
    const reply = await send("/control/mcp", { headers: [["authorization", form(key)]], body: listProjects });
    expect(reply.status).toBe(status);
    expect(status === 200 || !reply.text.includes(key)).toBe(true);
  });

  test("two Authorization headers are refused, in either order and spelling", async () => {
    const [viewer, owner] = [await issue("viewer"), await issue("owner")];
    for (const [one, next] of [
      [viewer.key, owner.key],
      [owner.key, viewer.key],
      [owner.key, owner.key],
      [owner.key, own.token],
    ]) {
      const headers = [["authorization", `Bearer ${one}`], ["Authorization", `Bearer ${next}`]] as const; // prettier-ignore
      expect((await send("/control/mcp", { headers, body: listProjects })).status).toBe(401);
    }
  });

  test("in a query, a body, a cookie or another header are ignored", async () => {
    const { key } = await issue("owner");
    for (const path of [`/control/mcp?authorization=Bearer%20${key}`, `/control/mcp?access_token=${key}`]) {
      expect((await send(path, { body: listProjects })).status).toBe(401);
    }
    const given = { authorization: `Bearer ${key}`, access_token: key, key, token: key };
    const { params, ...call } = JSON.parse(listProjects) as { params: object };
    const bodies: readonly (readonly [string, string])[] = [
      ["application/json", JSON.stringify({ ...call, params, ...given })],
      ["application/json", JSON.stringify({ ...call, params: { ...params, ...given } })],
      ["application/json", JSON.stringify({ ...call, params: { ...params, _meta: given } })],
      ["application/json", JSON.stringify({ ...call, params: { ...params, arguments: given } })],
      // RFC 6750, section 2.2.
      [
        "application/x-www-form-urlencoded",
        new URLSearchParams({ access_token: key, request: listProjects }).toString(),
      ],
    ];
    for (const [type, body] of bodies) {
      const reply = await send("/control/mcp", { headers: [["content-type", type]], body });
      expect(reply.status, body).toBe(401);
    }
    const headers = [["cookie", `gatehouse_session=${key}`], ["x-api-key", key]] as const; // prettier-ignore
    expect((await send("/control/mcp", { headers, body: listProjects })).status).toBe(401);
  });
});

describe("console sessions", () => {
  test("a sent key takes precedence over the session, with its own rights", async () => {
    const [owner, viewer] = [await issue("owner"), await issue("viewer", [own.project])];
    const { page, cookie } = await signIn(owner);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "svc_export_backup" } });
    const as = async (...headers: HeaderList) => await send("/control/mcp", { headers, body });
    const both = await as(...page, ["authorization", `Bearer ${viewer.key}`]);
    expect(both.text).toContain("Not allowed: svc_export_backup");
    for (const refused of [
      await as(...page, ["authorization", "Bearer svc_admin_00000000000000000000000000000000"]),
      await as(...page, ["authorization", ""]),
      await as(...page, ["authorization", "Basic eDp5"]),
      await as(...page, ["authorization", `Bearer ${own.token}`]),
      await as(...page, ["cookie", cookie]),
    ]) {
      expect(refused.status).toBe(401);
    }
  });

  test("a sign-out needs the page's token, and a key cannot replace it", async () => {
    const owner = await issue("owner");
    const { page, cookie } = await signIn(owner);
    const [, origin] = page;
    const out = async (headers: HeaderList) => (await send("/control/session", { method: "DELETE", headers })).status;
    expect(await out([["cookie", cookie]])).toBe(403);
    expect(await out([["cookie", cookie], origin])).toBe(403);
    expect(await out([["cookie", cookie], origin, ["authorization", `Bearer ${owner.key}`]])).toBe(403);
    expect(await out([["authorization", `Bearer ${owner.key}`]])).toBe(401);
    expect((await send("/control/session", { method: "GET", headers: [["cookie", cookie]] })).status).toBe(200);
    expect(await out(page)).toBe(204);
    expect((await send("/control/mcp", { headers: page, body: listProjects })).status).toBe(401);
  });

  test("a session cannot be read without its cookie, from another site, or with a key", async () => {
    const owner = await issue("owner");
    const { cookie } = await signIn(owner);
    const read = async (method: string, ...headers: HeaderList) => await send("/control/session", { method, headers });
    for (const method of ["GET", "HEAD"]) {
      for (const reply of [
        await read(method),
        await read(method, ["authorization", `Bearer ${owner.key}`]),
        await read(method, ["cookie", `${cookie}x`]),
        await read(method, ["cookie", `${cookie}; ${cookie}`]),
        await read(method, ["cookie", cookie], ["origin", "https://evil.example"]),
        await read(method, ["cookie", cookie], ["origin", "null"]),
      ]) {
        expect([401, 403]).toContain(reply.status);
        expect(reply.text).not.toMatch(/csrf_token|owner/);
        expect(reply.headers["access-control-allow-origin"]).toBeUndefined();
        expect(reply.headers["set-cookie"]).toBeUndefined();
      }
    }
    const head = await read("HEAD", ["cookie", cookie]);
    expect([head.status, head.text]).toEqual([200, ""]);
    const shown = await read("GET", ["cookie", cookie]);
    expect([shown.status, shown.headers["cache-control"]]).toEqual([200, "no-store"]);
    expect(shown.text).not.toContain(owner.key);
    expect(shown.text).not.toContain(cookie.slice(cookie.indexOf("=") + 1));
  });

  test.each([
    "/control/mcp?",
    "/control/mcp?x=1",
    "/control/mcp/",
    "/control/mcp#x",
    "/control//mcp",
    "//control/mcp",
    "/control/./mcp",
    "/control/session/../mcp",
    "/control/%6dcp",
    "/control%2fmcp",
    "/CONTROL/MCP",
    "/control/mcp;x",
    "/control/mcp%00",
    "/control/mcp%3fx",
    "/console/../control/mcp",
    "/api/x/../../control/mcp",
  ])("no spelling of the path bypasses the guards: %s", async (path) => {
    const owner = await issue("owner");
    const { page, cookie } = await signIn(owner);
    const [, origin] = page;
    for (const headers of [[], [["cookie", cookie]], [["cookie", cookie], origin]] as const) {
      const reply = await send(path, { headers, body: listProjects });
      expect(reply.status).toBeGreaterThanOrEqual(400);
      expect(reply.status).toBeLessThan(500);
      expect(reply.text).not.toContain(own.project);
    }
  });
});
