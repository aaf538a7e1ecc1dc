import { createHmac } from "node:crypto";
import { nowhere } from "@gatehouse/ports/testing";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type Json, type ProjectFixture, uniqueName } from "../../src/control-plane-client.ts";
import type { Fields } from "../../src/exchange.ts";
import { answer } from "../../src/scripted-provider.ts";
import { mcpServer, replyJson, ScriptedUpstream, type UpstreamRequest } from "../../src/scripted-upstream.ts";
import type { World } from "./world.ts";

/** Webhooks, their deliveries, and the event of each operation. */
export function describeWebhooks(world: () => World): void {
  let receiver: ScriptedUpstream;
  /** Receives and never answers, so that its delivery is in progress for 10 seconds. */
  let silent: ScriptedUpstream;
  let slow: { readonly project: ProjectFixture; readonly webhook: Webhook };

  beforeAll(async () => {
    receiver = await ScriptedUpstream.start();
    silent = await ScriptedUpstream.start(() => {});
    const project = await world().newProject();
    const webhook = await hook(project, { url: silent.url, events: ["token.created"] });
    slow = { project, webhook };
    await world().newToken(project.project);
  });
  afterAll(async () => {
    await Promise.all([receiver.stop(), silent.stop()]);
  });

  interface Webhook extends Fields {
    readonly id: number;
    readonly secret: string;
  }

  interface Delivery extends Fields {
    readonly id: number;
    readonly uuid: string;
  }

  async function run<T = Fields>(name: string, args: Json = {}): Promise<T> {
    return await world().control.call<T>(name, args);
  }

  const secrets: string[] = [];

  async function hook({ project }: { readonly project: string }, settings: Json = {}): Promise<Webhook> {
    const made = await run<Webhook>("svc_create_webhook", {
      project,
      name: uniqueName("hook"),
      url: `${receiver.url}/${uniqueName("path")}`,
      events: ["token.created"],
      ...settings,
    });
    secrets.push(made.secret);
    return made;
  }

  /** Requests that a webhook's receiver got. */
  function got({ url }: Fields): readonly UpstreamRequest[] {
    const { pathname } = new URL(String(url));
    return receiver.received.filter(({ path }) => path === pathname);
  }

  async function arrived(webhook: Fields, count = 1): Promise<readonly UpstreamRequest[]> {
    await expect.poll(() => got(webhook).length, { timeout: 5_000, interval: 20 }).toBeGreaterThanOrEqual(count);
    return got(webhook);
  }

  async function deliveries(webhook: Webhook, args: Json = {}): Promise<readonly Delivery[]> {
    return (await run<{ deliveries: Delivery[] }>("svc_list_deliveries", { webhook_id: webhook.id, ...args }))
      .deliveries;
  }

  /** Deliveries of a webhook, once a number of them has ended. */
  async function recorded(webhook: Webhook, count = 1): Promise<readonly Delivery[]> {
    await expect
      .poll(async () => (await deliveries(webhook)).filter(({ success }) => typeof success === "boolean").length, {
        timeout: 5_000,
        interval: 30,
      })
      .toBeGreaterThanOrEqual(count);
    return await deliveries(webhook);
  }

  const aUuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string;
  const anInstant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/) as string;
  const aSeverity = expect.stringMatching(/^(info|warn|error|critical)$/) as string;

  describe("Webhook (per project)", () => {
    test("the secret starts with whsec_, is base64url of 32 bytes, and is shown once", async () => {
      const fixture = await world().newProject();
      const made = await hook(fixture, {
        name: "n",
        url: `${receiver.url}/shape`,
        events: ["token.created", "token.revoked"],
      });
      expect(made).toMatchObject({
        id: expect.any(Number),
        name: "n",
        url: `${receiver.url}/shape`,
        events: ["token.created", "token.revoked"],
        is_active: true,
      });
      expect(made.secret).toMatch(/^whsec_[\w-]{43}$/);
      const listed = await run<{ webhooks: Fields[] }>("svc_list_webhooks", { project: fixture.project });
      expect(listed.webhooks).toMatchObject([{ id: made.id, name: "n" }]);
      expect(JSON.stringify(listed)).not.toContain(made.secret.slice(6));
      for (const item of listed.webhooks) expect(item).not.toHaveProperty("secret");
    });

    test("an unknown event key, no events, an invalid address: -32602, naming the problem", async () => {
      const fixture = await world().newProject();
      await expect(hook(fixture, { events: ["token.flown"] })).rejects.toThrow("token.flown");
      await expect(hook(fixture, { events: "token.created" })).rejects.toThrow(/events/);
      for (const url of ["nonsense", "ftp://127.0.0.1/x"])
        await expect(hook(fixture, { url }), url).rejects.toThrow(/url|SSRF/i);
      const inside = { project: fixture.project, name: "inside", url: "http://169.254.169.254/latest/meta-data" };
      const { error } = await world().control.request("tools/call", {
        name: "svc_create_webhook",
        arguments: { ...inside, events: ["token.created"] },
      });
      expect(error).toMatchObject({
        code: -32_602,
        message: "Upstream URL blocked by SSRF guard.",
        data: { detail: expect.any(String), argument: "url" },
      });
      await expect(run("svc_test_webhook", { webhook_id: 987_654 })).rejects.toThrow("987654");
      await expect(run("svc_redeliver", { delivery_id: 987_654 })).rejects.toThrow("987654");
    });

    test("a webhook whose host cannot be resolved now is accepted", async () => {
      const made = await hook(await world().newProject(), { url: "https://hooks.example.com/gatehouse" });
      expect(made).toMatchObject({ url: "https://hooks.example.com/gatehouse" });
    });

    test("inactive webhooks do not fire; updated and deleted ones follow", async () => {
      const fixture = await world().newProject();
      const one = await hook(fixture);
      const witness = await hook(fixture, { events: ["token.created", "token.deleted"] });
      expect(await run("svc_set_webhook_active", { webhook_id: one.id, is_active: false })).toMatchObject({
        is_active: false,
      });
      const token = await world().newToken(fixture.project);
      await arrived(witness);
      expect(got(one)).toHaveLength(0);
      await run("svc_set_webhook_active", { webhook_id: one.id, is_active: true });
      expect(
        await run("svc_update_webhook", { webhook_id: one.id, events: ["token.deleted"], name: "renamed" }),
      ).toMatchObject({ events: ["token.deleted"], name: "renamed" });
      await world().newToken(fixture.project);
      await arrived(witness, 2);
      expect(got(one)).toHaveLength(0);
      await run("svc_delete_token", { token_id: token.id });
      await arrived(one);
      await run("svc_delete_webhook", { webhook_id: one.id });
      const next = await world().newToken(fixture.project);
      await run("svc_delete_token", { token_id: next.id });
      await arrived(witness, 5);
      expect(got(one)).toHaveLength(1);
    });
  });

  describe("Events: delivery request", () => {
    test("method, type, headers, signature over the raw body, body fields", async () => {
      const fixture = await world().newProject();
      const { name, id } = await run<{ name: string; id: number }>("svc_get_project", { project: fixture.project });
      const webhook = await hook(fixture, { events: ["token.created", "token.revoked"] });
      const before = Math.floor(Date.now() / 1_000);
      const token = await run<{ id: number; token: string }>("svc_create_token", {
        project: fixture.project,
        name: "Ünïcode ☃ token",
        scopes: ["chat"],
      });
      const [request] = await arrived(webhook);
      if (request === undefined) throw new Error("Nothing has arrived.");
      expect(request.method).toBe("POST");
      expect(request.headers["content-type"]).toBe("application/json");
      expect(request.headers["x-service-event"]).toBe("token.created");
      const expected = createHmac("sha256", webhook.secret).update(request.bytes).digest("hex");
      expect(request.headers["x-service-signature"]).toBe(`sha256=${expected}`);
      expect(request.headers["x-service-timestamp"]).toMatch(/^\d{10}$/);
      const timestamp = Number(request.headers["x-service-timestamp"]);
      expect(timestamp).toBeGreaterThanOrEqual(before);
      expect(timestamp).toBeLessThanOrEqual(Math.ceil(Date.now() / 1_000));
      expect(request.headers["x-service-delivery"]).toEqual(aUuid);
      expect(request.body).toEqual({
        event: "token.created",
        severity: aSeverity,
        actor: expect.stringMatching(/./),
        project: { id, name, uuid: fixture.project },
        target: "Ünïcode ☃ token",
        metadata: expect.objectContaining({ token_id: token.id }),
        ip_address: expect.stringMatching(/^[\d.:a-f]+$/),
        occurred_at: anInstant,
      });
      expect(request.bytes.toString()).not.toContain(token.token);
      await run("svc_revoke_token", { token_id: token.id });
      const [, revoked] = await arrived(webhook, 2);
      expect(revoked?.headers).toMatchObject({
        "x-service-event": "token.revoked",
        "x-service-signature": `sha256=${createHmac("sha256", webhook.secret)
          .update(revoked?.bytes ?? "")
          .digest("hex")}`,
      });
      expect(revoked?.body).toMatchObject({
        event: "token.revoked",
        severity: "warn",
        actor: "admin_key:environment",
        target: "Ünïcode ☃ token",
        metadata: { token_id: token.id },
      });
      const [delivery] = await recorded(webhook, 2);
      expect(delivery).toMatchObject({
        webhook_id: webhook.id,
        event: "token.revoked",
        success: true,
        http_status: 200,
        request_body: revoked?.bytes.toString(),
        response_body: '{"ok":true}',
      });
    });

    test("one webhook is sent per matching subscription per audit event, to its own project only", async () => {
      const [fixture, other] = [await world().newProject(), await world().newProject()];
      const [one, two, foreign, deaf] = [
        await hook(fixture),
        await hook(fixture),
        await hook(other),
        await hook(fixture, { events: ["token.revoked"] }),
      ];
      for (let times = 0; times < 3; times += 1) await world().newToken(fixture.project);
      await Promise.all([recorded(one, 3), recorded(two, 3)]);
      expect([one, two, foreign, deaf].map((webhook) => got(webhook).length)).toEqual([3, 3, 0, 0]);
      const ids = [...got(one), ...got(two)].map(({ headers }) => headers["x-service-delivery"]);
      expect(new Set(ids).size).toBe(6);
    });

    test("a rotated secret signs what is sent from then on", async () => {
      const fixture = await world().newProject();
      const webhook = await hook(fixture);
      const rotated = await run<{ secret: string }>("svc_rotate_webhook_secret", { webhook_id: webhook.id });
      expect(rotated.secret).toMatch(/^whsec_[\w-]{43}$/);
      expect(rotated.secret).not.toBe(webhook.secret);
      await world().newToken(fixture.project);
      const [request] = await arrived(webhook);
      const expected = createHmac("sha256", rotated.secret)
        .update(request?.bytes ?? "")
        .digest("hex");
      expect(request?.headers["x-service-signature"]).toBe(`sha256=${expected}`);
    });

    test("svc_test_webhook sends webhook.test with a dummy payload, subscribed or not", async () => {
      const webhook = await hook(await world().newProject());
      const delivery = await run("svc_test_webhook", { webhook_id: webhook.id });
      expect(delivery).toMatchObject({
        webhook_id: webhook.id,
        event: "webhook.test",
        success: true,
        http_status: 200,
      });
      const [request] = await arrived(webhook);
      expect(request?.headers["x-service-event"]).toBe("webhook.test");
      expect(Object.keys(request?.body ?? {})).toEqual([
        "event",
        "severity",
        "actor",
        "project",
        "target",
        "metadata",
        "ip_address",
        "occurred_at",
      ]);
      expect(request?.body["event"]).toBe("webhook.test");
      expect(await recorded(webhook)).toMatchObject([{ event: "webhook.test", success: true }]);
    });
  });

  describe("Webhook delivery record", () => {
    test("shape; 2xx is success, with the body sent and the body received", async () => {
      const fixture = await world().newProject();
      const webhook = await hook(fixture);
      receiver.play(replyJson(202, { thanks: true }));
      await world().newToken(fixture.project);
      const [delivery] = await recorded(webhook);
      const [request] = got(webhook);
      expect(delivery).toMatchObject({
        id: expect.any(Number),
        uuid: request?.headers["x-service-delivery"],
        webhook_id: webhook.id,
        event: "token.created",
        success: true,
        http_status: 202,
        request_body: request?.bytes.toString(),
        response_body: '{"thanks":true}',
        error: null,
        attempted_at: anInstant,
        duration_ms: expect.any(Number),
        redelivery_of: null,
      });
    });

    test.each([301, 400, 404, 410, 429, 500, 503])(
      "a receiver that answers %i: success false, and no automatic retry",
      async (status) => {
        const fixture = await world().newProject();
        const webhook = await hook(fixture);
        receiver.play(replyJson(status, { no: status }, { location: `${receiver.url}/elsewhere`, "retry-after": "0" }));
        await world().newToken(fixture.project);
        expect(await recorded(webhook)).toMatchObject([
          { success: false, http_status: status, response_body: JSON.stringify({ no: status }) },
        ]);
        await run("svc_test_webhook", { webhook_id: webhook.id });
        await recorded(webhook, 2);
        expect(receiver.received).toHaveLength(2);
        expect(receiver.received.filter(({ path }) => path === "/elsewhere")).toHaveLength(0);
      },
    );

    test("a receiver without a listener: success false, with the error", async () => {
      const fixture = await world().newProject();
      const webhook = await hook(fixture, { url: `${nowhere}/` });
      await world().newToken(fixture.project);
      expect(await recorded(webhook)).toMatchObject([
        { success: false, http_status: null, response_body: null, error: expect.stringMatching(/./) },
      ]);
    });

    test("newest first; success, limit and cursor choose", async () => {
      const fixture = await world().newProject();
      const webhook = await hook(fixture);
      for (const status of [200, 500, 200]) {
        receiver.play(replyJson(status, {}));
        const { length } = await deliveries(webhook);
        await world().newToken(fixture.project);
        await recorded(webhook, length + 1);
      }
      const all = await deliveries(webhook);
      expect(all.map(({ http_status }) => http_status)).toEqual([200, 500, 200]);
      expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted((a, b) => b - a));
      expect(await deliveries(webhook, { success: false })).toEqual([all[1]]);
      expect(await deliveries(webhook, { success: true })).toEqual([all[0], all[2]]);
      const args = { webhook_id: webhook.id, limit: 2 };
      const first = await run<{ deliveries: Delivery[]; next_cursor: string }>("svc_list_deliveries", args);
      const second = await run<{ deliveries: Delivery[]; next_cursor: unknown }>("svc_list_deliveries", {
        ...args,
        cursor: first.next_cursor,
      });
      expect([...first.deliveries, ...second.deliveries]).toEqual(all);
      expect(second.next_cursor ?? null).toBeNull();
    });

    test("svc_redeliver creates a new record that names the first", async () => {
      const fixture = await world().newProject();
      const webhook = await hook(fixture);
      receiver.play(replyJson(500, {}));
      await world().newToken(fixture.project);
      const [failed] = await recorded(webhook);
      receiver.play(replyJson(200, {}));
      const repeated = await run("svc_redeliver", { delivery_id: failed?.id });
      expect(repeated).toMatchObject({ success: true, redelivery_of: failed?.id, event: "token.created" });
      expect(got(webhook)).toHaveLength(1);
      const [again, first] = await recorded(webhook, 2);
      expect(first).toEqual(failed);
      expect(again).toMatchObject({ event: "token.created", success: true, http_status: 200 });
      expect(again?.["redelivery_of"]).toBe(failed?.id);
      expect(again?.uuid).not.toBe(failed?.uuid);
      const [request] = got(webhook);
      const expected = createHmac("sha256", webhook.secret)
        .update(request?.bytes ?? "")
        .digest("hex");
      expect(request?.headers["x-service-signature"]).toBe(`sha256=${expected}`);
      expect(request?.body).toEqual(JSON.parse(String(failed?.["request_body"])));
    });

    test("stored bodies are cut at 64 KiB, marked so", async () => {
      const webhook = await hook(await world().newProject());
      receiver.play((_request, res) => void res.writeHead(200).end("x".repeat(200 * 1024)));
      await run("svc_test_webhook", { webhook_id: webhook.id });
      const [delivery] = await recorded(webhook);
      const stored = String(delivery?.["response_body"]);
      expect(stored.length).toBeGreaterThan(60 * 1024);
      expect(stored.length).toBeLessThan(66 * 1024);
      expect(JSON.stringify(delivery)).toMatch(/truncated|cut/i);
    });

    test("a slow receiver never delays another webhook's deliveries, which end before any of its own", async () => {
      receiver.play(replyJson(200, {}));
      // It gets the same events as the silent receiver.
      const prompt = await hook(slow.project);
      const count = 20;
      await Promise.all(Array.from({ length: count }, async () => await world().newToken(slow.project.project)));
      await recorded(prompt, count);
      // At most the silent receiver's first delivery, which began before this file's tests, has ended.
      expect((await deliveries(slow.webhook)).length).toBeLessThanOrEqual(1);
      expect(await deliveries(slow.webhook, { state: "in_progress" })).not.toEqual([]);
      expect(got(prompt)).toHaveLength(count);
    });
  });

  interface EventCase {
    readonly event: string;
    /** Causes the event; returns the name of its target, where the contract requires one. */
    readonly happen: (project: string) => Promise<string | undefined>;
    readonly type?: string;
  }

  async function endpointOf(project: string, settings: Json = {}) {
    const args = {
      project,
      slug: uniqueName("e"),
      targets: [{ provider: world().primaryName, model: "m" }],
      ...settings,
    };
    return await run<{ uuid: string; slug: string }>("svc_create_endpoint", args);
  }

  async function upstreamOf(project: string, url: string) {
    return await run<{ id: number }>("svc_create_upstream", { project, prefix: "up", url });
  }

  async function chatOn(project: string, slug: string, message = "x") {
    const { token } = await world().newToken(project);
    return await world().ask(`/api/${project}/${slug}`, { token, body: { message } });
  }

  async function oauthOf(project: string, status = 200) {
    const issuer = await ScriptedUpstream.start(
      replyJson(200, { access_token: "a", token_type: "Bearer", expires_in: 1 }),
    );
    const made = await run<{ id: number }>("svc_create_oauth_connection", {
      project,
      name: "crm",
      token_url: issuer.url,
      client_id: "c",
      client_secret: "s",
      grant: "client_credentials",
    });
    issuer.play(
      replyJson(
        status,
        status === 200 ? { access_token: "a", token_type: "Bearer", expires_in: 3_600 } : { error: "invalid_client" },
      ),
    );
    return { ...made, issuer };
  }

  /** Targets whose calls use up a small budget. */
  function dearTargets() {
    const prices = { input_price_per_million: 1_000, output_price_per_million: 1_000 };
    return [{ provider: world().primaryName, model: "m", ...prices }];
  }

  const eventCases: readonly EventCase[] = [
    { event: "token.created", happen: async (project) => void (await world().newToken(project)) },
    {
      event: "token.rotated",
      happen: async (project) =>
        void (await run("svc_rotate_token", { token_id: (await world().newToken(project)).id })),
    },
    {
      event: "token.revoked",
      happen: async (project) =>
        void (await run("svc_revoke_token", { token_id: (await world().newToken(project)).id })),
    },
    {
      event: "token.deleted",
      happen: async (project) =>
        void (await run("svc_delete_token", { token_id: (await world().newToken(project)).id })),
    },
    { event: "endpoint.created", happen: async (project) => (await endpointOf(project)).slug },
    {
      event: "endpoint.updated",
      async happen(project) {
        const { uuid, slug } = await endpointOf(project);
        await run("svc_update_endpoint", { endpoint: uuid, description: "new" });
        return slug;
      },
    },
    {
      event: "endpoint.deactivated",
      async happen(project) {
        const { uuid, slug } = await endpointOf(project);
        await run("svc_set_endpoint_active", { endpoint: uuid, is_active: false });
        return slug;
      },
    },
    {
      event: "endpoint.activated",
      async happen(project) {
        const { uuid, slug } = await endpointOf(project);
        for (const is_active of [false, true]) await run("svc_set_endpoint_active", { endpoint: uuid, is_active });
        return slug;
      },
    },
    {
      event: "endpoint.deleted",
      async happen(project) {
        const { uuid, slug } = await endpointOf(project);
        await run("svc_delete_endpoint", { endpoint: uuid });
        return slug;
      },
    },
    {
      event: "project.updated",
      happen: async (project) => void (await run("svc_update_project", { project, rate_limit_per_minute: 77 })),
    },
    {
      event: "guardrail.updated",
      happen: async (project) => void (await run("svc_set_guardrails", { project, keywords: ["x"] })),
    },
    {
      event: "guardrail.blocked",
      async happen(project) {
        const { uuid, slug } = await endpointOf(project);
        await run("svc_set_guardrails", { endpoint: uuid, keywords: ["falcon"] });
        expect((await chatOn(project, slug, "a falcon")).status).toBe(422);
        return slug;
      },
    },
    {
      event: "budget.exhausted",
      async happen(project) {
        const { slug } = await endpointOf(project, { targets: dearTargets(), monthly_budget_usd: 0.01 });
        for (const _ of [1, 2]) await chatOn(project, slug);
        return slug;
      },
    },
    {
      event: "budget.threshold_reached",
      async happen(project) {
        const { slug } = await endpointOf(project, { targets: dearTargets(), monthly_budget_usd: 0.0105 });
        await chatOn(project, slug);
        return slug;
      },
    },
    {
      event: "upstream.created",
      type: "mcp_gateway",
      happen: async (project) => void (await upstreamOf(project, receiver.url)),
    },
    {
      event: "upstream.updated",
      type: "mcp_gateway",
      async happen(project) {
        const { id } = await upstreamOf(project, receiver.url);
        return void (await run("svc_update_upstream", { upstream_id: id, url: `${receiver.url}/new` }));
      },
    },
    {
      event: "upstream.deleted",
      type: "mcp_gateway",
      async happen(project) {
        const { id } = await upstreamOf(project, receiver.url);
        return void (await run("svc_delete_upstream", { upstream_id: id }));
      },
    },
    {
      event: "upstream.tools_changed",
      type: "mcp_gateway",
      async happen(project) {
        const schema = { inputSchema: { type: "object" } };
        const server = await ScriptedUpstream.start(mcpServer({ tools: [{ name: "a", ...schema }] }));
        const { id } = await upstreamOf(project, server.url);
        await run("svc_refresh_upstream", { upstream_id: id });
        server.play(
          mcpServer({
            tools: [
              { name: "a", ...schema },
              { name: "b", ...schema },
            ],
          }),
        );
        await run("svc_refresh_upstream", { upstream_id: id });
        await server.stop();
        return undefined;
      },
    },
    {
      event: "webhook.created",
      happen: async (project) => (await hook({ project }, { name: "the-name" }))["name"] as string,
    },
    {
      event: "webhook.updated",
      async happen(project) {
        const { id } = await hook({ project });
        await run("svc_update_webhook", { webhook_id: id, name: "the-name" });
        return "the-name";
      },
    },
    {
      event: "webhook.deleted",
      async happen(project) {
        const { id } = await hook({ project }, { name: "the-name" });
        await run("svc_delete_webhook", { webhook_id: id });
        return "the-name";
      },
    },
    {
      event: "webhook.secret_rotated",
      async happen(project) {
        const { id } = await hook({ project }, { name: "the-name" });
        await run("svc_rotate_webhook_secret", { webhook_id: id });
        return "the-name";
      },
    },
    {
      event: "oauth_connection.created",
      type: "api_gateway",
      async happen(project) {
        const { issuer } = await oauthOf(project, 401);
        await issuer.stop();
        return "crm";
      },
    },
    {
      event: "oauth_connection.connected",
      type: "api_gateway",
      async happen(project) {
        const { issuer, callUpstream } = await authorizedEndpointOf(project);
        await callUpstream();
        await issuer.stop();
        return "crm";
      },
    },
    {
      event: "oauth_connection.updated",
      type: "api_gateway",
      async happen(project) {
        const { id, issuer } = await oauthOf(project);
        await run("svc_update_oauth_connection", { connection_id: id, scopes: ["read"] });
        await issuer.stop();
        return undefined;
      },
    },
    {
      event: "oauth_connection.disconnected",
      type: "api_gateway",
      async happen(project) {
        const { id, issuer } = await oauthOf(project);
        await run("svc_delete_oauth_connection", { connection_id: id });
        await issuer.stop();
        return "crm";
      },
    },
    {
      event: "oauth_connection.refresh_failed",
      type: "api_gateway",
      async happen(project) {
        const { issuer, callUpstream } = await authorizedEndpointOf(project, 401);
        const failed = async () => expect((await callUpstream()).status).toBe(502);
        await vi.waitFor(failed, { timeout: 5_000 });
        await issuer.stop();
        return "crm";
      },
    },
  ];

  /** An endpoint whose upstream is called with an OAuth connection's token. */
  async function authorizedEndpointOf(project: string, tokenStatus?: number) {
    const { id, issuer } = await oauthOf(project, tokenStatus);
    const auth = { type: "oauth", connection_id: id };
    const endpoint = { slug: "crm", upstream_url: receiver.url, allowed_methods: ["GET"], auth };
    await run("svc_create_endpoint", { project, ...endpoint });
    const { token } = await world().newToken(project, { scopes: ["proxy"] });
    const callUpstream = async () => await world().ask(`/api/${project}/crm`, { method: "GET", token });
    return { issuer, callUpstream };
  }

  async function credentialOf() {
    const provider = await world().anotherProvider(world().primary);
    return {
      provider,
      ...(await run<{ id: number }>("svc_create_credential", { provider, name: "main", api_key: "sk-some-key" })),
    };
  }

  /** Events of the whole gateway, which go to the webhooks of every project. */
  const gatewayWide: readonly EventCase[] = [
    { event: "provider.created", happen: async () => void (await world().anotherProvider(world().primary)) },
    {
      event: "provider.updated",
      async happen() {
        const provider = uniqueName("updated");
        await run("svc_create_provider", { name: provider, kind: "mock" });
        await run("svc_update_provider", { provider, base_url: "https://models.example.com/v1" });
        return undefined;
      },
    },
    {
      event: "provider.deleted",
      async happen() {
        const provider = uniqueName("deleted");
        await run("svc_create_provider", { name: provider, kind: "mock" });
        await run("svc_delete_provider", { provider });
        return undefined;
      },
    },
    { event: "provider.disabled", happen: async () => await toggled([false]) },
    { event: "provider.enabled", happen: async () => await toggled([false, true]) },
    { event: "credential.created", happen: async () => void (await credentialOf()) },
    {
      event: "credential.updated",
      happen: async () =>
        void (await run("svc_update_credential", { credential_id: (await credentialOf()).id, api_key: "sk-next-key" })),
    },
    {
      event: "credential.deactivated",
      happen: async () =>
        void (await run("svc_set_credential_active", { credential_id: (await credentialOf()).id, is_active: false })),
    },
    {
      event: "credential.activated",
      async happen() {
        const { id } = await credentialOf();
        for (const is_active of [false, true]) await run("svc_set_credential_active", { credential_id: id, is_active });
        return undefined;
      },
    },
    {
      event: "credential.deleted",
      happen: async () => void (await run("svc_delete_credential", { credential_id: (await credentialOf()).id })),
    },
    { event: "backup.exported", happen: async () => void (await run("svc_export_backup")) },
    {
      event: "auth.login_failed",
      happen: async () =>
        void (await world().ask("/control/mcp", {
          token: "svc_admin_wrong",
          body: { jsonrpc: "2.0", id: 1, method: "ping" },
        })),
    },
  ];

  async function toggled(states: readonly boolean[]): Promise<string> {
    const provider = await world().anotherProvider(world().primary);
    for (const enabled of states) await run("svc_set_provider_enabled", { provider, enabled });
    return provider;
  }

  async function audited(args: Json): Promise<readonly Fields[]> {
    return (await run<{ entries: Fields[] }>("svc_query_audit_log", args)).entries;
  }

  describe("Operation to event ties, and further event keys", () => {
    /** All events are caused concurrently in separate projects, so that the tests wait once. */
    let happened: ReadonlyMap<
      string,
      { readonly project: string; readonly webhook: Webhook; readonly target: string | undefined }
    >;
    beforeAll(async () => {
      receiver.play(replyJson(200, {}));
      world().primary.play(answer("ok"));
      const all = eventCases.map(async ({ event, happen, type = "ai_gateway" }) => {
        const { project } = await world().newProject({ type });
        const webhook = await hook({ project }, { events: [event] });
        return [event, { project, webhook, target: await happen(project) }] as const;
      });
      happened = new Map(await Promise.all(all));
    });

    test.each(eventCases)("$event is delivered once and is in the audit log", async ({ event }) => {
      const { project, webhook, target } = happened.get(event) ?? expect.fail();
      const [request] = await arrived(webhook);
      expect(request?.body).toMatchObject({
        event,
        severity: aSeverity,
        project: { uuid: project },
        target: target ?? expect.any(String),
      });
      await expect
        .poll(async () => (await audited({ project, event })).length, { timeout: 5_000 })
        .toBeGreaterThanOrEqual(1);
      const entry = (await audited({ project, event })).find(({ at }) => at === request?.body["occurred_at"]);
      const { severity, target: name, metadata } = request?.body ?? {};
      expect(entry).toMatchObject({ event, severity, target: name, metadata });
      const sent = got(webhook).map(({ bytes }) => bytes.toString());
      expect(new Set(sent).size).toBe(sent.length);
    });

    test.each(gatewayWide)(
      "$event, of the whole gateway, reaches a subscribed webhook and is in the audit log",
      async ({ event, happen }) => {
        receiver.play(replyJson(200, {}));
        const { project } = await world().newProject();
        const webhook = await hook({ project }, { events: [event] });
        const target = await happen(project);
        const [request] = await arrived(webhook);
        expect(request?.body).toMatchObject({ event, severity: aSeverity, target: target ?? expect.any(String) });
        await expect.poll(async () => (await audited({ event })).length, { timeout: 5_000 }).toBeGreaterThanOrEqual(1);
      },
    );

    test("project.created and project.deleted are in the audit log", async () => {
      const { project } = await world().newProject();
      const { name } = await run<{ name: string }>("svc_get_project", { project });
      await run("svc_delete_project", { project });
      for (const event of ["project.created", "project.deleted"])
        await expect
          .poll(async () => (await audited({ event, limit: 200 })).map(({ target }) => target), { timeout: 5_000 })
          .toContain(name);
    });

    test("a repeated revocation, activation or deactivation creates no second event", async () => {
      receiver.play(replyJson(200, {}));
      const { project } = await world().newProject();
      const events = [
        "token.revoked",
        "token.deleted",
        "endpoint.deactivated",
        "endpoint.activated",
        "endpoint.deleted",
      ];
      const webhook = await hook({ project }, { events });
      const { id } = await world().newToken(project);
      for (let times = 0; times < 2; times += 1) await run("svc_revoke_token", { token_id: id });
      await run("svc_delete_token", { token_id: id });
      const { uuid: endpoint } = await endpointOf(project);
      for (const is_active of [true, false, false, true, true])
        await run("svc_set_endpoint_active", { endpoint, is_active });
      await run("svc_delete_endpoint", { endpoint });
      const keys = async () => (await audited({ project })).map(({ event }) => String(event));
      await expect
        .poll(keys, { timeout: 5_000 })
        .toEqual(expect.arrayContaining(["token.deleted", "endpoint.deleted"]));
      expect((await keys()).filter((key) => events.includes(key)).toSorted()).toEqual(events.toSorted());
      await recorded(webhook, events.length);
      const sent = got(webhook).map(({ headers }) => String(headers["x-service-event"]));
      expect(sent.toSorted()).toEqual(events.toSorted());
    });
  });

  test("the deletion of a project is delivered to its webhooks before they are removed", async () => {
    receiver.play(replyJson(200, {}));
    const { project } = await world().newProject();
    const webhook = await hook({ project }, { events: ["project.deleted"] });
    await run("svc_delete_project", { project });
    const events = () => got(webhook).map(({ headers }) => headers["x-service-event"]);
    await expect.poll(events, { timeout: 5_000 }).toEqual(["project.deleted"]);
    const test = { name: "svc_test_webhook", arguments: { webhook_id: webhook.id } };
    await expect
      .poll(async () => (await world().control.request("tools/call", test)).error)
      .toMatchObject({ code: -32_602, message: `Webhook not found: ${webhook.id}` });
  });

  test("no secret is printed by a process", () => {
    expect(secrets).not.toHaveLength(0);
    for (const secret of secrets) expect(world().product.output()).not.toContain(secret);
  });

  describe("States and transitions", () => {
    test("receiver times out (default 10 s): success false, error logged", async () => {
      await expect
        .poll(async () => (await deliveries(slow.webhook)).at(-1), { timeout: 15_000, interval: 200 })
        .toMatchObject({ success: false, http_status: null, error: expect.stringMatching(/./) });
      const first = (await deliveries(slow.webhook)).at(-1);
      expect(first?.["duration_ms"]).toBeGreaterThanOrEqual(9_500);
      expect(first?.["duration_ms"]).toBeLessThan(12_500);
    });
  });
}
