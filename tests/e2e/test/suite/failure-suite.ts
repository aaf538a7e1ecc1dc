import { connect } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import type { Exchange } from "../../src/exchange.ts";
import type { EndpointFixture } from "../../src/product-world.ts";
import { answer, answerWith, fail } from "../../src/scripted-provider.ts";
import type { World } from "./world.ts";

/** Bad input and failures, and the reports of health and metrics. */
export function describeFailures(world: () => World): void {
  let endpoint: EndpointFixture;

  beforeAll(async () => {
    endpoint = await world().endpoint({}, await world().newProject({ scopes: ["chat", "mcp"] }));
  });

  /** Sends raw bytes and reads until the product closes. */
  async function sendRaw(text: string): Promise<string> {
    const { hostname, port } = new URL(world().product.url);
    return await new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write(text));
      let received = "";
      socket.setTimeout(3_000, () => socket.destroy());
      socket.on("data", (chunk: Buffer) => (received += chunk.toString()));
      socket.on("error", reject);
      socket.on("close", () => resolve(received));
    });
  }

  function expectNamed({ status, body, headers }: Exchange): void {
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(headers["content-type"]).toMatch(/^application\/json/);
    expect(body).toMatchObject({ ok: false, error: expect.stringMatching(/\w{3,}/) });
    expect(body["error"]).not.toMatch(/unexpected error/i);
  }

  describe("REST error body", () => {
    test("ok false and error always; detail, code and retry_after where they help, and nothing that leaks", async () => {
      const { path, token, project } = endpoint;
      const replies = [
        await world().ask(path, { body: {} }),
        await world().ask(path, { token, body: {} }),
        await world().ask(path, { token, method: "GET" }),
        await world().ask(`/api/${project}/no-such`, { token, body: { message: "x" } }),
        await world().ask("/", { method: "DELETE" }),
        await world().ask("/api", { method: "GET" }),
        await world().ask("/api/not-a-uuid/slug", { token, body: { message: "x" } }),
        await world().ask(`/api/${project}`, { token, body: { message: "x" } }),
        await world().ask(`/api/${project}/%`, { token, body: { message: "x" } }),
      ];
      for (const reply of replies) {
        expectNamed(reply);
        expect(reply.text).not.toMatch(/\n\s+at |node_modules|\.ts\b/);
      }
    });

    test("unknown paths are 404 in JSON", async () => {
      for (const path of [
        "/nothing",
        "/api",
        "/api/",
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-authorization-server",
        `/.well-known/oauth-protected-resource/api/${endpoint.project}/mcp`,
      ]) {
        const reply = await world().ask(path, { method: "GET" });
        expect([path, reply.status]).toEqual([path, 404]);
        expect(reply.headers["content-type"]).toMatch(/^application\/json/);
        expect(reply.body).toMatchObject({ ok: false, error: expect.stringMatching(/./) });
      }
    });

    test("a project's uuid is accepted in capitals", async () => {
      world().primary.play(answer("ok"));
      const reply = await world().ask(`/api/${endpoint.project.toUpperCase()}/${endpoint.slug}`, {
        token: endpoint.token,
        body: { message: "x" },
      });
      expect(reply.status).toBe(200);
    });
  });

  describe("Bad input and failures: every 4xx names what is wrong", () => {
    test("deep nesting, huge numbers, prototype names and lone surrogates are handled without a failure", async () => {
      world().primary.play(answer("ok"));
      const { path, token } = endpoint;
      const bodies = [
        `{"message":"x","deep":${"[".repeat(50_000)}${"]".repeat(50_000)}}`,
        '{"message":"x","n":1e400}',
        '{"message":"x","__proto__":{"admin":true},"constructor":{"prototype":{}}}',
        String.raw`{"message":"\ud800"}`,
        String.raw`{"message":"nul \u0000 byte"}`,
      ];
      for (const body of bodies) {
        const reply = await world().ask(path, { token, body });
        expect([body.slice(0, 40), [200, 400, 422].includes(reply.status)]).toEqual([body.slice(0, 40), true]);
      }
      const session = { message: String.raw`nul`, session_id: "0b8d36b4-5f5b-4f4e-9d6e-6f3f0e3d8f11" };
      const nul = JSON.stringify(session).replace("nul", String.raw`\u0000`);
      expect([200, 400]).toContain((await world().ask(path, { token, body: nul })).status);
    });

    test("the Control Plane handles a nul byte and a lone surrogate without an internal error", async () => {
      for (const name of ["a\u0000b", "\uD800"]) {
        const { error } = await world().control.request("tools/call", {
          name: "svc_create_project",
          arguments: { name, project_type: "ai_gateway" },
        });
        if (error !== undefined) expect([error.code, error.message]).toEqual([-32_602, expect.stringMatching(/name/)]);
      }
    });

    test("bytes that are not HTTP get 400, and the next request is answered", async () => {
      expect(await sendRaw("GARBAGE\r\n\r\n")).toMatch(/^HTTP\/1\.1 400 /);
      expect(await sendRaw(`GET /healthz HTTP/1.1\r\nhost: x\r\nx-big: ${"a".repeat(100_000)}\r\n\r\n`)).toMatch(
        /^HTTP\/1\.1 431 /,
      );
      expect((await world().ask("/healthz", { method: "GET" })).status).toBe(200);
    });

    test("a broken reply of a provider is a 502 with a message, never an internal error", async () => {
      const replies = [
        answerWith("not JSON"),
        answerWith({}),
        answerWith({ choices: [] }),
        answerWith("[]"),
        fail(302),
      ];
      for (const script of replies) {
        const targets = [{ provider: await world().anotherProvider(world().primary), model: "m" }];
        const { path, token } = await world().ownEndpoint({ targets });
        world().primary.play(script);
        const reply = await world().ask(path, { token, body: { message: "x" } });
        expect(reply.status).toBe(502);
        expect(reply.body["error"]).toMatch(/^Provider call failed: ./);
      }
    });

    test("no secret, token, key or prompt text is in a log line at the default level", async () => {
      world().primary.play(answer("a very private answer"));
      const provider = await world().anotherProvider(world().primary);
      await world().control.call("svc_create_credential", {
        provider,
        name: "main",
        api_key: "sk-private-provider-key",
      });
      const { path, token } = await world().ownEndpoint({ targets: [{ provider, model: "m" }] });
      await world().ask(path, { token, body: { message: "a very private prompt" } });
      world().primary.play(fail(500, "a very private failure"));
      await world().ask(path, { token, body: { message: "a very private prompt" } });
      await world().ask(path, { token, body: "a very private malformed body" });
      const output = world().product.output();
      for (const secret of [
        token,
        world().product.adminKey,
        "sk-private-provider-key",
        "a very private prompt",
        "a very private answer",
        "malformed body",
      ])
        expect(output).not.toContain(secret);
    });
  });

  describe("Health", () => {
    test("/healthz is public; /readyz and /metrics need the operations port or an admin key", async () => {
      expect((await world().ask("/healthz", { method: "GET" })).status).toBe(200);
      for (const path of ["/healthz", "/readyz", "/metrics"]) {
        expect((await fetch(`${world().product.operationsUrl}${path}`)).status).toBe(200);
      }
      for (const path of ["/readyz", "/metrics"]) {
        expect((await world().ask(path, { method: "GET" })).status).toBe(401);
        expect((await world().ask(path, { method: "GET", token: endpoint.token })).status).toBe(401);
        expect((await world().ask(path, { method: "GET", token: world().product.adminKey })).status).toBe(200);
      }
    });

    test("/metrics is in the text format of Prometheus", async () => {
      const reply = await world().ask("/metrics", { method: "GET", token: world().product.adminKey });
      expect(reply.status).toBe(200);
      expect(reply.text).toMatch(/^# HELP \w+/m);
      expect(reply.text).not.toContain(endpoint.token);
    });
  });
}
