import { randomUUID } from "node:crypto";
import process from "node:process";
import { text } from "node:stream/consumers";
import { createTestDatabase, type TestDatabase } from "@gatehouse/postgres/testing";
import { OAuth2Server } from "oauth2-mock-server";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { newProject, type ProxyKit, startProxyKit } from "./proxy-kit.ts";
import { startUpstream, type Upstream } from "./upstream.ts";

let database: TestDatabase;
let sql: pg.Client;
let kit: ProxyKit;
let upstream: Upstream;
const oauth = new OAuth2Server();
/** Requests to the token endpoint, and its next answers. */
const asked: { readonly grant: string; readonly authorization: string | undefined; readonly body: object }[] = [];
let tamper: ((reply: { body: Record<string, unknown> | ""; statusCode: number }) => void) | undefined;
let serial = 0;

beforeAll(async () => {
  database = await createTestDatabase();
  await oauth.issuer.keys.generate("RS256");
  await oauth.start(0, "127.0.0.1");
  oauth.service.on("beforeResponse", (reply, req) => {
    asked.push({ grant: req.body.grant_type, authorization: req.headers.authorization, body: req.body });
    // Two tokens signed within one second would be equal.
    serial += 1;
    if (reply.body !== "") reply.body["access_token"] = `token-${serial}`;
    tamper?.(reply);
  });
  upstream = await startUpstream();
  kit = await startProxyKit({ database });
  sql = new pg.Client({ connectionString: database.url });
  await sql.connect();
});

afterEach(() => {
  tamper = undefined;
  upstream.answer((_req, res) => res.end("ok"));
});

afterAll(async () => {
  await sql.end();
  await kit.close();
  await upstream.close();
  await oauth.stop();
  await database.drop();
});

const client = { client_id: "gate", client_secret: "s3cret", scopes: ["read"] };
const oauthAuth = (connectionId: number) => ({ type: "oauth", connection_id: connectionId });
const tokenUrl = () => `${String(oauth.issuer.url).replace("localhost", "127.0.0.1")}/token`;

async function connect(grant: "client_credentials" | "refresh_token" = "client_credentials"): Promise<number> {
  const further = grant === "refresh_token" ? { refresh_token: "first-refresh-token" } : {};
  return await kit.createConnection({ token_url: tokenUrl(), grant, ...client, ...further });
}

async function endpointWith(connectionId: number, allowedMethods = ["GET", "POST"]): Promise<string> {
  const auth = oauthAuth(connectionId);
  return await kit.createEndpoint({ upstream_url: upstream.url, allowed_methods: allowedMethods, auth });
}

/** Sets the stored token's expiry to an hour ago. */
async function endToken(connectionId: number): Promise<void> {
  const update = `UPDATE api_proxy.oauth_connections
    SET obtained_at = now() - interval '2 hours', expires_at = now() - interval '1 hour' WHERE id = $1`;
  await sql.query(update, [connectionId]);
}

async function rowOf(connectionId: number): Promise<Record<string, unknown>> {
  return (await sql.query("SELECT * FROM api_proxy.oauth_connections WHERE id = $1", [connectionId])).rows[0];
}

async function eventsOf(connectionId: number): Promise<{ event: string; actor: string; metadata: object }[]> {
  const { rows } = await sql.query<{ body: string }>("SELECT body FROM api_proxy.audit_outbox ORDER BY seq");
  const events = rows.map(({ body }) => JSON.parse(body));
  return events.filter(({ metadata }) => metadata.connection_id === connectionId);
}

/**
 * A token endpoint that answers the first request at once, and a renewal only once another replica waits for it or has asked too.
 */
async function startSlowTokenUrl(): Promise<{ readonly url: string; close(): Promise<void> }> {
  let calls = 0;
  const isAnotherThere = async () => {
    const { rows } = await sql.query("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
    return rows.length > 0 || calls > 2;
  };
  const front = await startUpstream((req, res) => {
    const pass = async () => {
      calls += 1;
      if (calls > 1) await expect.poll(isAnotherThere, { interval: 5 }).toBe(true);
      const { authorization = "", "content-type": type = "" } = req.headers;
      const headers = { authorization, "content-type": type };
      const reply = await fetch(tokenUrl(), { method: "POST", headers, body: await text(req) });
      res.writeHead(reply.status, { "content-type": "application/json" }).end(await reply.text());
    };
    void pass();
  });
  return { url: `${front.url}/token`, close: async () => await front.close() };
}

const call = async (slug: string, init: RequestInit = {}, { origin, pathOf } = kit) =>
  await fetch(origin + pathOf(slug), init);

describe("a connection", () => {
  test("gets its first token when it is created, by the header, and its endpoints send it", async () => {
    const id = await connect();
    expect(asked.at(-1)).toMatchObject({
      grant: "client_credentials",
      authorization: `Basic ${Buffer.from("gate:s3cret").toString("base64")}`,
      body: { scope: "read" },
    });
    const slug = await endpointWith(id);
    expect((await call(slug, { headers: { authorization: "Bearer callers-own" } })).status).toBe(200);
    expect(upstream.requests.at(-1)?.headers.authorization).toBe(`Bearer token-${serial}`);
  });

  test("is created with the secret in the body where a token endpoint demands that", async () => {
    tamper = (reply) => {
      if (asked.at(-1)?.authorization === undefined) return;
      Object.assign(reply, { statusCode: 401, body: { error: "invalid_client" } });
    };
    const id = await connect();
    expect(asked.at(-1)).toMatchObject({ body: { client_id: "gate", client_secret: "s3cret" } });
    expect(await rowOf(id)).toMatchObject({ client_auth: "post" });
  });

  test("without a token is created as failed, with the error code alone", async () => {
    tamper = (reply) =>
      Object.assign(reply, { statusCode: 400, body: { error: "unauthorized_client", error_description: "s3cret!" } });
    const id = await connect();
    const connections = await kit.admin.connections();
    const lastError = "The token endpoint answered unauthorized_client.";
    const made = connections.find((connection) => connection.id === id);
    expect(made).toMatchObject({ status: "failed", last_error: lastError, expires_at: null });
    expect(await eventsOf(id)).toEqual([
      expect.objectContaining({ event: "oauth_connection.created", actor: "admin_key:ops" }),
      expect.objectContaining({ event: "oauth_connection.refresh_failed", actor: "admin_key:ops" }),
    ]);
    const slug = await endpointWith(id);
    expect((await call(slug)).status).toBe(502);
    tamper = undefined;
    const replica = await startProxyKit({ database, project: kit.principal.project });
    expect((await call(slug, {}, replica)).status).toBe(200);
    await replica.close();
  });

  test("to a forbidden address is refused by the SSRF guard", async () => {
    const made = kit.createConnection({
      token_url: "http://169.254.169.254/token",
      grant: "client_credentials",
      ...client,
    });
    await expect(made).rejects.toMatchObject({ code: "ssrf_blocked", details: { argument: "token_url" } });
  });

  test("stores its secrets sealed, and shows none of them", async () => {
    const id = await connect("refresh_token");
    const stored = JSON.stringify(await rowOf(id));
    for (const secret of ["s3cret", "first-refresh-token", `token-${serial}`]) expect(stored).not.toContain(secret);
    const connections = await kit.admin.connections();
    expect(JSON.stringify(connections)).not.toMatch(/s3cret|token-\d/);
  });

  test("is changed in place: a token is asked for with the new settings, and used at once", async () => {
    const id = await connect();
    const slug = await endpointWith(id);
    expect((await call(slug)).status).toBe(200);
    const questions = asked.length;
    const change = { connection_id: id, client_secret: "n3w-secret", scopes: ["read", "write"] };
    const changed = await kit.admin.call("svc_update_oauth_connection", change);
    expect(changed).toMatchObject({ id, status: "connected", scopes: ["read", "write"], client_id: "gate" });
    expect(JSON.stringify(changed)).not.toContain('secret":');
    expect(asked).toHaveLength(questions + 1);
    const seen: (string | undefined)[] = [];
    upstream.answer((req, res) => {
      seen.push(req.headers.authorization);
      res.end("ok");
    });
    expect((await call(slug)).status).toBe(200);
    expect(seen).toEqual([`Bearer token-${serial}`]);
    expect(JSON.stringify(await rowOf(id))).not.toContain("n3w-secret");
    // A change of the name alone asks no server.
    await kit.admin.call("svc_update_oauth_connection", { connection_id: id, name: `renamed-${id}` });
    await kit.admin.call("svc_update_oauth_connection", { connection_id: id, name: `renamed-${id}` });
    expect(asked).toHaveLength(questions + 1);
    expect((await eventsOf(id)).map(({ event }) => event)).toEqual([
      "oauth_connection.created",
      "oauth_connection.connected",
      "oauth_connection.updated",
      "oauth_connection.updated",
    ]);
  });

  test("is read again when a change of it may have been missed", async () => {
    const id = await connect();
    const slug = await endpointWith(id);
    const [early, { access_token: earlySealed }] = [`Bearer token-${serial}`, await rowOf(id)];
    await kit.admin.call("svc_update_oauth_connection", { connection_id: id, client_secret: "n3w-secret" });
    const sent = async () => {
      expect((await call(slug)).status).toBe(200);
      return upstream.requests.at(-1)?.headers.authorization;
    };
    await expect.poll(sent).toBe(`Bearer token-${serial}`);
    // Changes the row without an announcement.
    await sql.query("UPDATE api_proxy.oauth_connections SET access_token = $1 WHERE id = $2", [earlySealed, id]);
    expect(await sent()).not.toBe(early);
    await sql.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN %'",
    );
    await expect.poll(sent).toBe(early);
  });

  test.each([
    ["client_credentials", "client_secret"],
    ["refresh_token", "client_secret and refresh_token"],
  ] as const)("of the grant %s sends no stored secret to another host", async (grant, names) => {
    const id = await connect(grant);
    const questions = asked.length;
    const change = { connection_id: id, token_url: "https://elsewhere.example/token" };
    const message = `token_url: the stored ${names} would be sent to another host. Give ${names} again with the new token_url.`;
    const changed = kit.admin.call("svc_update_oauth_connection", change);
    await expect(changed).rejects.toMatchObject({ code: "invalid_argument", message });
    expect(asked).toHaveLength(questions);
  });

  test("keeps its present token if new settings get none, and shows the reason", async () => {
    const id = await connect();
    const slug = await endpointWith(id);
    tamper = (reply) => Object.assign(reply, { statusCode: 400, body: { error: "unauthorized_client" } });
    const change = { connection_id: id, client_secret: "wrong" };
    expect(await kit.admin.call("svc_update_oauth_connection", change)).toMatchObject({
      status: "failed",
      last_error: "The token endpoint answered unauthorized_client.",
      expires_at: expect.any(String),
    });
    expect((await call(slug)).status).toBe(200);
  });

  test.each([
    [{ grant: "refresh_token" }, "Unknown argument: grant"],
    [{ refresh_token: "r" }, "refresh_token must be absent for the grant client_credentials"],
    [{ token_url: "ftp://x" }, "token_url must be an http or https URL without a fragment"],
    [{ scopes: ["a b"] }, "scopes[0] must be one scope: visible ASCII characters without spaces"],
    [{ connection_id: 987_654 }, "OAuth connection not found: 987654"],
    [{ connection_id: 1e12 }, "OAuth connection not found: 1000000000000"],
  ])("is not changed to %o: %s", async (wrong, message) => {
    const given = { connection_id: await connect(), ...wrong };
    await expect(kit.admin.call("svc_update_oauth_connection", given)).rejects.toMatchObject({ message });
  });

  test.each([
    [{ grant: "password" }, "Invalid grant: password"],
    [{ grant: "refresh_token" }, "Missing required argument: refresh_token"],
    [{ client_secret: undefined }, "Missing required argument: client_secret"],
    [{ scopes: "read" }, "scopes must be array"],
  ])("is not created with %o: %s", async (wrong, message) => {
    const given = { token_url: tokenUrl(), grant: "client_credentials", ...client, ...wrong };
    await expect(kit.createConnection(given)).rejects.toMatchObject({ code: "invalid_argument", message });
  });

  test("of a name that the project has is refused before a token is asked for, new or renamed", async () => {
    const given = { token_url: tokenUrl(), grant: "client_credentials", ...client };
    const taken = `taken-${randomUUID().slice(0, 8)}`;
    await kit.createConnection({ ...given, name: taken });
    const other = await kit.createConnection(given);
    const questions = asked.length;
    const refusal = { code: "already_exists", message: `OAuth connection already exists in this project: ${taken}` };
    await expect(kit.createConnection({ ...given, name: taken })).rejects.toMatchObject(refusal);
    const change = { connection_id: other, name: taken, client_id: "another" };
    await expect(kit.admin.call("svc_update_oauth_connection", change)).rejects.toMatchObject(refusal);
    expect(asked).toHaveLength(questions);
  });

  test("cannot be deleted while an endpoint uses it, and its creation and deletion are events", async () => {
    const id = await connect();
    const slug = await endpointWith(id);
    const refusal = kit.admin.call("svc_delete_oauth_connection", { connection_id: id });
    await expect(refusal).rejects.toMatchObject({ code: "invalid_argument", message: expect.stringContaining(slug) });
    const endpoints = await kit.admin.endpoints();
    const endpoint = endpoints.find((endpoint) => endpoint.slug === slug)?.uuid;
    await kit.admin.call("svc_delete_endpoint", { endpoint });
    await kit.admin.call("svc_delete_oauth_connection", { connection_id: id });
    expect((await eventsOf(id)).map(({ event }) => event)).toEqual([
      "oauth_connection.created",
      "oauth_connection.connected",
      "oauth_connection.disconnected",
    ]);
  });
});

describe("renewal", () => {
  test("two hundred calls on two replicas request one token", async () => {
    const slow = await startSlowTokenUrl();
    const id = await kit.createConnection({ token_url: slow.url, grant: "client_credentials", ...client });
    const slug = await endpointWith(id);
    await endToken(id);
    const { project } = kit.principal;
    const replicas = [await startProxyKit({ database, project }), await startProxyKit({ database, project })];
    const before = asked.length;
    const replies = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => await call(slug, {}, replicas[index % 2])),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(asked.length - before).toBe(1);
    const sent = upstream.requests.slice(-200).map(({ headers }) => headers.authorization);
    expect(new Set(sent)).toEqual(new Set([`Bearer token-${serial}`]));
    for (const replica of replicas) await replica.close();
    await slow.close();
  });

  test("a refresh token that the endpoint replaces is used from then on", async () => {
    tamper = ({ body }) => void (body !== "" && (body["refresh_token"] = "second-refresh-token"));
    const id = await connect("refresh_token");
    tamper = ({ body }) => void (body !== "" && (body["refresh_token"] = "third-refresh-token"));
    const slug = await endpointWith(id);
    await endToken(id);
    expect((await call(slug)).status).toBe(200);
    expect(asked.at(-1)?.body).toMatchObject({ grant_type: "refresh_token", refresh_token: "second-refresh-token" });
    await endToken(id);
    const replica = await startProxyKit({ database, project: kit.principal.project });
    expect((await call(slug, {}, replica)).status).toBe(200);
    expect(asked.at(-1)?.body).toMatchObject({ refresh_token: "third-refresh-token" });
    await replica.close();
  });

  test("answers 502 with a detail if it fails, records one event by the system, and administrators see the state", async () => {
    const id = await connect("refresh_token");
    const slug = await endpointWith(id);
    await endToken(id);
    tamper = (reply) => Object.assign(reply, { statusCode: 400, body: { error: "invalid_grant" } });
    const before = asked.length;
    const replies = await Promise.all(Array.from({ length: 20 }, async () => await call(slug)));
    const detail = "The token endpoint answered invalid_grant.";
    for (const reply of replies) {
      expect(reply.status).toBe(502);
      expect(await reply.json()).toEqual({ ok: false, error: "Upstream OAuth connection failed.", detail });
    }
    expect(asked.length - before).toBe(1);
    const failures = (await eventsOf(id)).filter(({ event }) => event === "oauth_connection.refresh_failed");
    expect(failures).toEqual([
      expect.objectContaining({
        actor: "system",
        project: expect.objectContaining({ uuid: kit.principal.project.uuid, name: "Weather" }),
        metadata: { connection_id: id, grant: "refresh_token", reason: detail },
      }),
    ]);
    expect(await rowOf(id)).toMatchObject({ status: "failed", last_error: detail });
  });

  const otherType =
    "The token endpoint issued a token of another type than Bearer; configure it to issue Bearer tokens.";
  const invalid = "The token endpoint's reply is not valid OAuth 2.0 (RFC 6749, section 5).";
  test.each<[string, object, string]>([
    ["the token type mac", { body: { access_token: "t", token_type: "mac" } }, otherType],
    ["the token type N_A", { body: { access_token: "t", token_type: "N_A" } }, otherType],
    ["no token type", { body: { access_token: "t" } }, invalid],
    ["a life that is no number", { body: { access_token: "t", token_type: "Bearer", expires_in: "soon" } }, invalid],
    ["204", { statusCode: 204, body: "" }, "The token endpoint answered with status 204 and no OAuth error code."],
    ["500", { statusCode: 500, body: {} }, "The token endpoint answered with status 500 and no OAuth error code."],
  ])("answered with %s is a failure of the connection, with one event", async (_name, wrong, detail) => {
    const id = await connect();
    const slug = await endpointWith(id);
    await endToken(id);
    tamper = (reply) => Object.assign(reply, wrong);
    for (let times = 0; times < 2; times += 1) {
      const reply = await call(slug);
      expect(reply.status).toBe(502);
      expect(await reply.json()).toEqual({ ok: false, error: "Upstream OAuth connection failed.", detail });
    }
    const failures = (await eventsOf(id)).filter(({ event }) => event === "oauth_connection.refresh_failed");
    expect(failures).toHaveLength(1);
    expect(await rowOf(id)).toMatchObject({ status: "failed", last_error: detail });
    const created = await connect();
    expect(await rowOf(created)).toMatchObject({ status: "failed", last_error: detail });
  });

  test("a success after a failure makes the connection healthy", async () => {
    const id = await connect();
    const slug = await endpointWith(id);
    await endToken(id);
    tamper = (reply) => Object.assign(reply, { statusCode: 503, body: "" });
    const failing = await startProxyKit({ database, project: kit.principal.project });
    expect((await call(slug, {}, failing)).status).toBe(502);
    await failing.close();
    tamper = undefined;
    expect((await call(slug)).status).toBe(200);
    expect(await rowOf(id)).toMatchObject({ status: "connected", last_error: "" });
  });
});

describe("a token that the upstream refuses", () => {
  const refuseOnce = (refused: string) =>
    upstream.answer((req, res) => {
      req.resume().on("end", () => {
        res.statusCode = req.headers.authorization === refused ? 401 : 200;
        res.end(`as ${req.headers.authorization}`);
      });
    });

  test.each([
    ["without a body", {}],
    ["with a small body", { method: "POST", body: "x".repeat(1_000) }],
  ])("is replaced, and a request %s is sent once more", async (_name, init) => {
    const slug = await endpointWith(await connect());
    refuseOnce(`Bearer token-${serial}`);
    const reply = await call(slug, init);
    expect(reply.status).toBe(200);
    expect(await reply.text()).toBe(`as Bearer token-${serial}`);
    expect(kit.gatewayLog.entries.at(-1)).toMatchObject({ status: 200, attempts: 2 });
  });

  test("is not tried again after the second", async () => {
    const slug = await endpointWith(await connect());
    upstream.answer((_req, res) => void res.writeHead(401, { "www-authenticate": "Bearer" }).end("no"));
    const before = upstream.requests.length;
    const reply = await call(slug);
    expect([reply.status, await reply.text(), reply.headers.get("www-authenticate")]).toEqual([401, "no", "Bearer"]);
    expect(upstream.requests.length - before).toBe(2);
  });

  test("is passed back where the body was streamed", async () => {
    const slug = await endpointWith(await connect());
    refuseOnce(`Bearer token-${serial}`);
    const body = new Blob(["x".repeat(200_000)]).stream();
    const reply = await call(slug, { method: "POST", body, duplex: "half" });
    expect(reply.status).toBe(401);
  });
});

test("another project's connection cannot be used", async () => {
  const id = await connect();
  const other = await startProxyKit({ database, project: newProject() });
  const auth = oauthAuth(id);
  const made = other.createEndpoint({ slug: `e-${randomUUID().slice(0, 8)}`, upstream_url: upstream.url, auth });
  await expect(made).rejects.toThrow(`OAuth connection not found: ${id}`);
  await other.close();
});

test("a failed token of a request that ends for another reason affects that request alone", async () => {
  const bounded = await startProxyKit({ database, proxy: { bodySizeBytesMax: 10 } });
  try {
    tamper = (reply) => Object.assign(reply, { statusCode: 400, body: { error: "unauthorized_client" } });
    const connection = { token_url: tokenUrl(), grant: "client_credentials", ...client };
    const auth = oauthAuth(await bounded.createConnection(connection));
    const definition = { upstream_url: upstream.url, allowed_methods: ["POST"], auth };
    const slug = await bounded.createEndpoint(definition);
    const countBefore = asked.length;
    const reply = await fetch(`${bounded.origin}${bounded.pathOf(slug)}`, { method: "POST", body: "x".repeat(100) });
    expect(reply.status).toBe(413);
    await expect.poll(() => asked.length).toBe(countBefore + 1);
    // The token fails after its endpoint's answer.
    expect((await fetch(`${bounded.origin}${bounded.pathOf(slug)}`, { method: "POST", body: "x" })).status).toBe(502);
  } finally {
    await bounded.close();
  }
});

test("a streamed body whose request gets no token is given up with it", async () => {
  const patient = await startProxyKit({ database, proxy: { idleTimeoutMs: 60_000 } });
  try {
    tamper = (reply) => Object.assign(reply, { statusCode: 400, body: { error: "unauthorized_client" } });
    const connection = { token_url: tokenUrl(), grant: "client_credentials", ...client };
    const auth = oauthAuth(await patient.createConnection(connection));
    const definition = { upstream_url: upstream.url, allowed_methods: ["POST"], auth };
    const url = `${patient.origin}${patient.pathOf(await patient.createEndpoint(definition))}`;
    const send = async () => (await fetch(url, { method: "POST", body: "x".repeat(100_000) })).status;
    expect(await send()).toBe(502);
    const timersBefore = countTimers();
    const statuses = await Promise.all(Array.from({ length: 50 }, send));
    expect(new Set(statuses)).toEqual(new Set([502]));
    // Each held body has one.
    await expect.poll(() => countTimers() - timersBefore).toBeLessThan(25);
  } finally {
    await patient.close();
  }
});

function countTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}
