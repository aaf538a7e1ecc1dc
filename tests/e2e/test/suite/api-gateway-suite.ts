import { nowhere } from "@gatehouse/ports/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Json, type ProjectFixture, uniqueName } from "../../src/control-plane-client.ts";
import type { ExchangeOptions } from "../../src/exchange.ts";
import { replyJson, ScriptedUpstream } from "../../src/scripted-upstream.ts";
import type { World } from "./world.ts";

/** The API Gateway, as a client and its upstream meet it. */
export function describeApiGateway(world: () => World): void {
  let api: ProjectFixture;
  let upstream: ScriptedUpstream;
  let plain: Route;

  interface Route {
    readonly slug: string;
    readonly uuid: string;
    readonly path: string;
  }

  const everyMethod = ["GET", "POST", "PUT", "PATCH", "DELETE"];

  beforeAll(async () => {
    upstream = await ScriptedUpstream.start();
    api = await world().newProject({ type: "api_gateway", scopes: ["proxy"] });
    plain = await route();
  });
  afterAll(async () => {
    await upstream.stop();
  });

  async function route(settings: Json = {}): Promise<Route> {
    const slug = uniqueName("api");
    const { uuid } = await world().control.call<{ uuid: string }>("svc_create_endpoint", {
      project: api.project,
      slug,
      upstream_url: `${upstream.url}/base`,
      allowed_methods: everyMethod,
      ...settings,
    });
    return { slug, uuid, path: `/api/${api.project}/${slug}` };
  }

  async function ask(path: string, options: ExchangeOptions = {}) {
    return await world().ask(path, { method: "GET", token: api.token, ...options });
  }

  describe("API Gateway", () => {
    test.each(everyMethod)(
      "ANY /api/{uuid}/{slug}: %s with body, upstream status and body unchanged",
      async (method) => {
        upstream.play((_request, res) => {
          res.writeHead(207, { "content-type": "text/x-odd", "x-upstream": "yes", etag: '"1"' });
          res.end("  as it is\n");
        });
        const body = method === "GET" ? {} : { body: "raw bytes", headers: { "content-type": "text/plain" } };
        const reply = await ask(plain.path, { method, ...body });
        expect([reply.status, reply.text]).toEqual([207, "  as it is\n"]);
        expect(reply.headers).toMatchObject({ "content-type": "text/x-odd", "x-upstream": "yes", etag: '"1"' });
        expect(reply.headers["x-request-id"]).toMatch(/./);
        expect(upstream.received).toHaveLength(1);
        expect(upstream.received[0]).toMatchObject({ method, path: "/base" });
        if (method !== "GET") expect(upstream.received[0]?.bytes.toString()).toBe("raw bytes");
      },
    );

    test("ANY /api/{uuid}/{slug}/{rest…} with query", async () => {
      upstream.play(replyJson(200, {}));
      await ask(`${plain.path}/users/7?q=a%20b&q=c`);
      await ask(`${plain.path}?x=1`);
      expect(upstream.received.map(({ path }) => path)).toEqual(["/base/users/7?q=a%20b&q=c", "/base?x=1"]);
    });

    test.each([201, 301, 302, 400, 401, 403, 404, 418, 429, 500, 503])(
      "upstream status %i passes unchanged, redirects are not followed",
      async (status) => {
        upstream.play(replyJson(status, { of: "upstream" }, { location: "http://127.0.0.1:1/elsewhere" }));
        const reply = await ask(plain.path);
        expect([reply.status, reply.body]).toEqual([status, { of: "upstream" }]);
        expect(upstream.received).toHaveLength(1);
      },
    );

    test("the caller's Authorization never reaches the upstream; hop-by-hop headers are dropped both ways", async () => {
      upstream.play((_request, res) => {
        res.writeHead(200, {
          connection: "close, x-hop-back",
          "x-hop-back": "1",
          "keep-alive": "timeout=9",
          "x-kept": "1",
        });
        res.end("{}");
      });
      const headers = {
        connection: "close, x-hop",
        "x-hop": "1",
        te: "trailers",
        "proxy-authorization": "Basic eA==",
        "x-kept": "1",
      };
      const reply = await ask(plain.path, { headers });
      const seen = upstream.received[0]?.headers ?? {};
      for (const name of ["authorization", "x-hop", "te", "proxy-authorization"]) expect(seen).not.toHaveProperty(name);
      expect(seen["x-kept"]).toBe("1");
      expect(JSON.stringify(seen)).not.toContain(api.token);
      for (const name of ["x-hop-back", "keep-alive"]) expect(reply.headers).not.toHaveProperty(name);
      expect(reply.headers["x-kept"]).toBe("1");
    });

    test.each<[string, Json, { readonly authorization?: string; readonly "x-api-key"?: string }]>([
      ["none", { type: "none" }, {}],
      ["header", { type: "header", name: "X-Api-Key", value: "key-1" }, { "x-api-key": "key-1" }],
      [
        "Authorization header",
        { type: "header", name: "Authorization", value: "Token t" },
        { authorization: "Token t" },
      ],
      ["basic", { type: "basic", username: "ada", password: "p:w" }, { authorization: `Basic ${btoa("ada:p:w")}` }],
    ])("the endpoint's own auth reaches the upstream: %s", async (_name, auth, expected) => {
      upstream.play(replyJson(200, {}));
      const { path, uuid } = await route({ auth });
      expect((await ask(path)).status).toBe(200);
      const { authorization, "x-api-key": apiKey } = upstream.received[0]?.headers ?? {};
      expect({ authorization, "x-api-key": apiKey }).toEqual({
        authorization: undefined,
        "x-api-key": undefined,
        ...expected,
      });
      const shown = JSON.stringify(await world().control.call("svc_get_endpoint", { endpoint: uuid }));
      expect(shown).not.toMatch(/key-1|Token t|p:w/);
    });

    test("the token of an OAuth connection reaches the upstream, and is kept while it is valid", async () => {
      const issuer = await ScriptedUpstream.start(
        replyJson(200, { access_token: "at-1", token_type: "Bearer", expires_in: 3_600 }),
      );
      const { id } = await world().control.call<{ id: number }>("svc_create_oauth_connection", {
        project: api.project,
        name: uniqueName("oauth"),
        token_url: `${issuer.url}/token`,
        client_id: "client",
        client_secret: "secret",
        grant: "client_credentials",
        scopes: ["read", "write"],
      });
      upstream.play(replyJson(200, {}));
      const { path } = await route({ auth: { type: "oauth", connection_id: id } });
      for (let times = 0; times < 2; times += 1) expect((await ask(path)).status).toBe(200);
      expect(upstream.received.map(({ headers }) => headers.authorization)).toEqual(["Bearer at-1", "Bearer at-1"]);
      expect(issuer.received).toHaveLength(1);
      expect(issuer.received[0]?.method).toBe("POST");
      expect(issuer.received[0]?.bytes.toString()).toContain("grant_type=client_credentials");
      await issuer.stop();
    });

    test("Upstream OAuth connection failed. (with detail), 502", async () => {
      const issuer = await ScriptedUpstream.start(replyJson(401, { error: "invalid_client" }));
      const { id } = await world().control.call<{ id: number }>("svc_create_oauth_connection", {
        project: api.project,
        name: uniqueName("oauth"),
        token_url: `${issuer.url}/token`,
        client_id: "client",
        client_secret: "secret",
        grant: "client_credentials",
      });
      const { path } = await route({ auth: { type: "oauth", connection_id: id } });
      upstream.play(replyJson(200, {}));
      const reply = await ask(path);
      expect(reply.status).toBe(502);
      expect(reply.body).toMatchObject({
        ok: false,
        error: "Upstream OAuth connection failed.",
        detail: expect.stringMatching(/./),
      });
      expect(upstream.received).toHaveLength(0);
      await issuer.stop();
    });
  });

  describe("API Gateway / proxy messages", () => {
    test("Method '<METHOD>' is not allowed for this endpoint. (405, with Allow)", async () => {
      const { path } = await route({ allowed_methods: ["GET", "POST"] });
      upstream.play(replyJson(200, {}));
      for (const method of ["DELETE", "PUT", "PATCH"]) {
        const reply = await ask(path, { method });
        expect(reply.status).toBe(405);
        expect(reply.body).toMatchObject({ ok: false, error: `Method '${method}' is not allowed for this endpoint.` });
        expect(reply.headers.allow).toMatch(/GET/);
      }
      expect(upstream.received).toHaveLength(0);
    });

    test("Endpoint '<slug>' not found or inactive. (404)", async () => {
      const { path, slug, uuid } = await route();
      await world().control.call("svc_set_endpoint_active", { endpoint: uuid, is_active: false });
      await expect.poll(async () => (await ask(path)).status, { timeout: 250 }).toBe(404);
      for (const [at, name] of [
        [path, slug],
        [`${path}/rest`, slug],
        [`/api/${api.project}/no-such/rest`, "no-such"],
      ] as const) {
        const reply = await ask(at);
        expect(reply.status).toBe(404);
        expect(reply.body).toMatchObject({ ok: false, error: `Endpoint '${name}' not found or inactive.` });
      }
    });

    test("Upstream unreachable. (502): nothing listens, the connection breaks, nothing comes in time", async () => {
      const nobody = await route({ upstream_url: nowhere });
      const breaking = await route({ timeout_ms: 500 });
      const silent = await route({ timeout_ms: 300 });
      upstream.play((_request, res) => void res.destroy());
      const replies = [await ask(nobody.path), await ask(breaking.path)];
      upstream.play(() => {});
      replies.push(await ask(silent.path));
      for (const reply of replies) {
        expect(reply.status).toBe(502);
        expect(reply.body).toMatchObject({ ok: false, error: "Upstream unreachable." });
      }
    });

    test("rate limits count requests", async () => {
      const limited = await world().newProject({ type: "api_gateway", scopes: ["proxy"], rate_limit_per_minute: 1 });
      const slug = "limited";
      await world().control.call("svc_create_endpoint", {
        project: limited.project,
        slug,
        upstream_url: upstream.url,
        allowed_methods: ["GET"],
      });
      upstream.play(replyJson(200, {}));
      const path = `/api/${limited.project}/${slug}`;
      expect((await ask(path, { token: limited.token })).status).toBe(200);
      const refused = await ask(path, { token: limited.token });
      expect(refused.status).toBe(429);
      expect(refused.body).toMatchObject({ ok: false, error: "Rate limit exceeded.", scope: "minute" });
      expect(refused.headers["retry-after"]).toBe(String(refused.body["retry_after"]));
    });

    test("a body is streamed both ways", async () => {
      const piece = Buffer.alloc(256 * 1024, "a");
      upstream.play(({ bytes }, res) => {
        res.writeHead(200, { "content-type": "application/octet-stream" });
        for (let times = 0; times < 16; times += 1) res.write(piece);
        res.end(String(bytes.length));
      });
      const reply = await ask(plain.path, { method: "POST", body: Buffer.alloc(3 * 1024 * 1024, "b") });
      expect(reply.status).toBe(200);
      expect(reply.text.length).toBe(16 * piece.length + 7);
      expect(reply.text.endsWith(String(3 * 1024 * 1024))).toBe(true);
    });
  });

  describe("SSRF guard", () => {
    test.each([
      "http://10.0.0.1/",
      "http://192.168.1.1/",
      "http://169.254.169.254/latest/meta-data/",
      "http://172.16.0.1/",
      "http://[::1]/",
      "http://[fd00::1]/",
      "http://0.0.0.0/",
      "http://[::ffff:10.0.0.1]/",
      "http://0x0a000001/",
    ])("Upstream URL blocked by SSRF guard. with detail, 422: %s", async (upstream_url) => {
      const made = await route({ upstream_url });
      const reply = await ask(made.path);
      expect(reply.status).toBe(422);
      expect(reply.body).toMatchObject({
        ok: false,
        error: "Upstream URL blocked by SSRF guard.",
        detail: expect.stringMatching(/./),
      });
    });

    test("other schemes are refused as an upstream", async () => {
      for (const upstream_url of ["file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "not a url"]) {
        await expect(route({ upstream_url }), upstream_url).rejects.toThrow(/upstream_url|SSRF/);
      }
    });
  });
}
