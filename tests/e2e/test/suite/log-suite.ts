import { randomUUID } from "node:crypto";
import { beforeAll, expect, test, vi } from "vitest";
import { send, sendStreaming } from "../../src/chat-client.ts";
import { createProject, type Json, type ProjectFixture, uniqueName } from "../../src/control-plane-client.ts";
import { answer, answerWith, fail, streamWords } from "../../src/scripted-provider.ts";
import { replyJson, ScriptedUpstream } from "../../src/scripted-upstream.ts";
import type { World } from "./world.ts";

interface Page {
  readonly entries: readonly Json[];
  readonly next_cursor: string | null;
}

const secretPrompt = "the-prompt-nobody-may-log";
const secretAnswer = "the-answer-nobody-may-log";
const anInstant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/) as string;
const aSeverity = expect.stringMatching(/^(info|warn|error|critical)$/) as string;
const arrival = { timeout: 10_000, interval: 50 };

/** One entry of the gateway log for each request, and one of the audit log for each change. */
export function describeLogs(world: () => World): void {
  let wrapper: ProjectFixture;
  let bridge: ProjectFixture;
  let since: string;
  beforeAll(async () => {
    since = new Date().toISOString();
    wrapper = await createProject(world().control, { type: "ai_wrapper", scopes: ["chat", "models"] });
    bridge = await createProject(world().control, { scopes: ["mcp"] });
  });

  const query = async (args: Json) => await world().control.call<Page>("svc_query_gateway_log", args);

  const entriesOf = async (args: Json) => (await query(args)).entries;

  const audited = async (args: Json) => (await world().control.call<Page>("svc_query_audit_log", args)).entries;

  /** Sends a request with a new id, and returns its only entry. */
  async function logged(path: string, { token = world().token, ...request }: Partial<Parameters<typeof send>[2]>) {
    const requestId = randomUUID();
    const headers = { ...request.headers, "x-request-id": requestId, "x-gatehouse-user": "ann" };
    const reply = await send(world().product, path, { body: {}, ...request, token, headers });
    return { reply, entry: await onlyEntry(requestId) };
  }

  async function onlyEntry(request_id: string): Promise<Json> {
    await vi.waitFor(async () => expect((await query({ request_id })).entries).not.toEqual([]), arrival);
    const [entry, ...others] = (await query({ request_id })).entries;
    expect(others).toEqual([]);
    return entry ?? {};
  }

  async function endpointOf({ project }: ProjectFixture, settings: Json = {}) {
    const slug = uniqueName("logged");
    const targets = [
      { provider: world().primaryName, model: "m", input_price_per_million: 1, output_price_per_million: 1 },
    ];
    const args = { project, slug, targets, ...settings };
    const { uuid } = await world().control.call<{ uuid: string }>("svc_create_endpoint", args);
    return { slug, uuid };
  }

  test("a call is logged with its caller, its target and its cost", async () => {
    const { primary, project, tokenId, primaryName } = world();
    const { slug, uuid } = await endpointOf(world());
    primary.play(answer(secretAnswer));
    const { entry, reply } = await logged(`/api/${project}/${slug}`, { body: { message: secretPrompt } });
    expect(entry).toMatchObject({
      id: expect.anything(),
      at: anInstant,
      request_id: reply.headers.get("x-request-id"),
      project,
      endpoint: uuid,
      token_id: tokenId,
      user: "ann",
      route: "chat_direct",
      status: 200,
      error: null,
      provider: primaryName,
      model: "m",
      attempts: 1,
      trace_id: null,
      duration_ms: expect.any(Number),
    });
    expect(JSON.stringify(entry)).not.toContain("svc_live_");
    expect(entry["prompt_tokens"]).toBeGreaterThan(0);
    expect(entry["completion_tokens"]).toBeGreaterThan(0);
    expect(entry["cost_usd"]).toBeGreaterThan(0);
    expect(Date.parse(String(entry["at"]))).toBeLessThanOrEqual(Date.now());
    const dispatched = await logged(`/api/${project}/chat/completions`, {
      body: { endpoint: slug, message: secretPrompt },
    });
    expect(dispatched.entry).toMatchObject({ route: "chat_dispatcher", status: 200, endpoint: uuid });
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
    primary.play(answer("ok"));
    const traced = await logged(`/api/${project}/${slug}`, { body: { message: "x" }, headers: { traceparent } });
    expect(traced.entry).toMatchObject({
      trace_id: traceId,
      status: 200,
      prompt_tokens: 7,
      completion_tokens: 3,
      cost_usd: 0.000_01,
    });
  });

  test("prompt tokens read from the provider's cache are counted separately", async () => {
    const { primary, project, control } = world();
    const { slug, uuid } = await endpointOf(world());
    const usage = { prompt_tokens: 2_000, completion_tokens: 3, total_tokens: 2_003 };
    primary.play(
      answerWith({
        id: "chatcmpl-scripted",
        object: "chat.completion",
        created: 1_700_000_000,
        model: "m",
        choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
        usage: { ...usage, prompt_tokens_details: { cached_tokens: 1_920 } },
      }),
    );
    const { entry } = await logged(`/api/${project}/${slug}`, { body: { message: secretPrompt } });
    expect(entry["details"]).toMatchObject({ cached_tokens: 1_920 });
    const around = { since: new Date(Date.now() - 60_000).toISOString(), until: new Date().toISOString() };
    const metrics = await control.call<{ series: readonly { readonly total: object }[] }>("svc_query_metrics", {
      ...around,
      project,
      bucket: "1m",
      filters: { endpoint: uuid },
    });
    expect(metrics.series).toMatchObject([{ total: { requests: 1, prompt_tokens: 2_000, cached_tokens: 1_920 } }]);
  });

  test("a stream is logged when it has ended", async () => {
    const { primary, product, token } = world();
    const endpoint = await world().endpoint({ streaming_enabled: true });
    primary.play(streamWords([secretAnswer]));
    const { headers } = await sendStreaming(product, endpoint.path, { body: { message: "x", stream: true }, token });
    const entry = await onlyEntry(headers.get("x-request-id") ?? "");
    expect(entry).toMatchObject({ status: 200, endpoint: endpoint.uuid, attempts: 1 });
    expect(entry["details"]).toMatchObject({ stream: true });
  });

  test("the Wrapper's calls, embeddings and lists are logged", async () => {
    const { token, project } = wrapper;
    const { slug: model } = await endpointOf(wrapper);
    world().primary.play(answer(secretAnswer));
    const base = `/api/${project}/v1`;
    const messages = [{ role: "user", content: secretPrompt }];
    const chat = await logged(`${base}/chat/completions`, { token, body: { model, messages } });
    expect(chat.entry).toMatchObject({ route: "wrapper_chat", status: 200, project });
    const models = await logged(`${base}/models`, { token, method: "GET", body: undefined });
    expect(models.entry).toMatchObject({ route: "wrapper_models", status: 200, project, token_id: wrapper.tokenId });
    const body = { model: "no-such-model", input: secretPrompt };
    const embeddings = await logged(`${base}/embeddings`, { token, body });
    expect(embeddings.entry).toMatchObject({ route: "wrapper_embeddings", status: 404 });
  });

  test("a tool call over MCP Bridge is logged", async () => {
    const { slug } = await endpointOf(bridge, { expose_as_mcp_tool: true });
    world().primary.play(answer(secretAnswer));
    const params = { name: slug, arguments: { message: secretPrompt } };
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const call = await logged(`/api/${bridge.project}/mcp`, { token: bridge.token, body });
    expect(call.entry).toMatchObject({
      route: "mcp_bridge",
      status: 200,
      user: "ann",
      project: bridge.project,
      attempts: 1,
    });
    const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const listed = await logged(`/api/${bridge.project}/mcp`, { token: bridge.token, body: list });
    expect(listed.entry).toMatchObject({ route: "mcp_bridge", status: 200, user: "ann" });
  });

  test("a call of the API Gateway is logged with the upstream's status", async () => {
    const upstream = await ScriptedUpstream.start(replyJson(503, {}));
    const { project, token } = await world().newProject({ type: "api_gateway", scopes: ["proxy"] });
    const settings = { project, slug: "s", upstream_url: upstream.url, allowed_methods: ["GET"] };
    await world().control.call("svc_create_endpoint", settings);
    const { entry } = await logged(`/api/${project}/s`, { token, method: "GET", body: undefined });
    expect(entry).toMatchObject({ project, status: 503 });
    await upstream.stop();
  });

  test("every status of an error is logged, and found by a filter", async () => {
    const fixture = await world().endpoint({}, await world().newProject({ rate_limit_per_minute: 2 }));
    await world().control.call("svc_set_guardrails", { endpoint: fixture.uuid, keywords: ["falcon"] });
    const call = async (path: string, body: unknown, token = fixture.token) => await world().ask(path, { token, body });
    world().primary.play(fail(400));
    await call(fixture.path, {});
    await call(`/api/${fixture.project}/no-such`, { message: "x" });
    const scopeless = await world().newToken(fixture.project, { scopes: [] });
    await call(fixture.path, { message: "x" }, scopeless.token);
    for (const message of ["x", "falcon", "x"]) await call(fixture.path, { message });
    await expect
      .poll(async () => new Set((await entriesOf({ project: fixture.project })).map(({ status }) => status)), {
        timeout: 5_000,
      })
      .toEqual(new Set([400, 404, 403, 502, 422, 429]));
    const [refused] = await entriesOf({ project: fixture.project, status: 404 });
    expect(refused).toMatchObject({ status: 404, error: "Endpoint 'no-such' not found or inactive." });
    expect((await entriesOf({ project: fixture.project, status: 502 })).length).toBe(1);
    const [blocked] = await entriesOf({ project: fixture.project, status: 422 });
    expect(blocked?.["error"]).toBe("Request blocked: keyword 'falcon' detected in input.");
  });

  test("newest first; the log entry of an unknown model says price_unknown; limit and cursor", async () => {
    world().primary.play(answer("ok"));
    const fixture = await world().ownEndpoint({
      targets: [{ provider: world().primaryName, model: "nobody-knows-its-price" }],
    });
    const ids: unknown[] = [];
    for (let times = 0; times < 3; times += 1)
      ids.push(
        (await world().ask(fixture.path, { token: fixture.token, body: { message: "x" } })).headers["x-request-id"],
      );
    await expect.poll(async () => (await entriesOf({ project: fixture.project })).length, { timeout: 5_000 }).toBe(3);
    const entries = await entriesOf({ project: fixture.project });
    expect(entries.map(({ request_id }) => request_id)).toEqual(ids.toReversed());
    expect(JSON.stringify(entries[0])).toContain("price_unknown");
    expect(entries[0]).toMatchObject({ cost_usd: 0 });
    const first = await world().control.call<Page>("svc_query_gateway_log", {
      project: fixture.project,
      limit: 2,
    });
    const second = await world().control.call<Page>("svc_query_gateway_log", {
      project: fixture.project,
      limit: 2,
      cursor: first.next_cursor,
    });
    expect([...first.entries, ...second.entries]).toEqual(entries);
    expect(second.next_cursor ?? null).toBeNull();
  });

  test("entry shape, newest first, since and until", async () => {
    const { project } = await world().newProject();
    const token = await world().newToken(project);
    await world().control.call("svc_revoke_token", { token_id: token.id });
    await expect.poll(async () => (await audited({ project })).length, { timeout: 5_000 }).toBeGreaterThanOrEqual(4);
    const entries = await audited({ project });
    expect(entries.map(({ event }) => event).slice(0, 2)).toEqual(["token.revoked", "token.created"]);
    expect(entries[0]).toMatchObject({
      id: expect.anything(),
      at: anInstant,
      event: "token.revoked",
      severity: aSeverity,
      actor: expect.stringMatching(/./),
      target: expect.stringMatching(/./),
      metadata: expect.objectContaining({ token_id: token.id }),
      ip_address: expect.stringMatching(/./),
    });
    expect(JSON.stringify(entries[0]?.["project"])).toContain(project);
    expect(JSON.stringify(entries)).not.toContain(token.token);
    const { at } = entries[0] ?? {};
    expect((await audited({ project, since: at })).map(({ event }) => event)).toContain("token.revoked");
    expect(await audited({ project, until: "2020-01-01T00:00:00Z" })).toEqual([]);
    const first = await world().control.call<Page>("svc_query_audit_log", {
      project,
      limit: 1,
    });
    const second = await world().control.call<Page>("svc_query_audit_log", {
      project,
      limit: 1,
      cursor: first.next_cursor,
    });
    expect([...first.entries, ...second.entries]).toEqual(entries.slice(0, 2));
  });

  test.each<[string, number, () => string, () => Partial<Parameters<typeof send>[2]>]>([
    ["an unknown token", 401, () => world().project, () => ({ token: "svc_live_unknown" })],
    ["another project's token", 403, () => randomUUID(), () => ({})],
    ["a missing scope", 403, () => bridge.project, () => ({ token: bridge.token })],
    ["the wrong type of project", 400, () => wrapper.project, () => ({ token: wrapper.token })],
    ["the wrong method", 405, () => world().project, () => ({ method: "PUT" })],
    ["a body that is no JSON", 400, () => world().project, () => ({ body: "{" })],
    ["an endpoint that is not there", 404, () => world().project, () => ({ body: { message: secretPrompt } })],
  ])("a request refused for %s is logged once, with the message that was sent", async (...row) => {
    const [, status, projectOf, request] = row;
    const { reply, entry } = await logged(`/api/${projectOf()}/nothing-here`, request());
    expect(reply.status).toBe(status);
    expect(entry).toMatchObject({ status, error: reply.body["error"], route: "chat_direct", attempts: 0 });
    expect(entry["project"]).toEqual(status === 401 ? null : expect.any(String));
  });

  test("a call that a guardrail blocks, and one whose provider fails, are logged with the reason", async () => {
    const { control, primary, project, anotherProvider } = world();
    const targets = [{ provider: await anotherProvider(primary), model: "m" }];
    const { slug, uuid } = await endpointOf(world(), { targets });
    primary.play(fail(400, "no such thing"));
    const failed = await logged(`/api/${project}/${slug}`, { body: { message: secretPrompt } });
    expect(failed.reply.body["error"]).toContain("no such thing");
    // The provider's message may quote the prompt, so the log has only its status and the error's name.
    const error = expect.stringMatching(/^Provider call failed: \S+ answered 400 \(scripted\)$/) as unknown;
    expect(failed.entry).toMatchObject({ status: failed.reply.status, error, attempts: 1 });
    await control.call("svc_set_guardrails", { endpoint: uuid, keywords: ["forbidden"] });
    const blocked = await logged(`/api/${project}/${slug}`, { body: { message: "a forbidden word" } });
    expect(blocked.entry).toMatchObject({
      status: 422,
      error: blocked.reply.body["error"],
      attempts: 0,
      endpoint: uuid,
    });
  });

  test("requests to the Control Plane are logged, and its changes are audited in a chain that verifies", async () => {
    const { control, product } = world();
    const requestId = randomUUID();
    const name = uniqueName("audited");
    const params = { name: "svc_create_project", arguments: { name, project_type: "ai_gateway" } };
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const headers = { "x-request-id": requestId };
    const reply = await send(product, "/control/mcp", { token: product.adminKey, headers, body });
    const { structuredContent: made } = reply.body["result"] as { structuredContent: Json };
    expect(await onlyEntry(requestId)).toMatchObject({
      route: "control_mcp",
      status: 200,
      details: { operation: "svc_create_project" },
    });
    const project = String(made["uuid"]);
    await control.call("svc_create_token", { project, name: "app", scopes: ["chat"] });
    const ask = async (args: Json) => await control.call<Page>("svc_query_audit_log", { project, ...args });
    await vi.waitFor(async () => expect((await ask({})).entries).toHaveLength(2), arrival);
    const { entries } = await ask({});
    expect(entries.map(({ event }) => event)).toEqual(["token.created", "project.created"]);
    expect(entries[0]).toMatchObject({
      severity: "info",
      project: { id: made["id"], uuid: project, name },
      target: "app",
      ip_address: "127.0.0.1",
      metadata: { token_id: expect.any(Number) as number },
    });
    expect(String(entries[0]?.["actor"])).toMatch(/^admin_key:/);
    expect((await ask({ event: "token.created" })).entries).toHaveLength(1);
    expect(await control.call("svc_verify_audit_log", { project })).toMatchObject({ ok: true, rows: 2, faults: [] });
    expect(await control.call("svc_verify_audit_log")).toMatchObject({ ok: true, faults: [] });
  });

  test("pages cover the whole log, and no prompt, answer, token or key is in it", async () => {
    const { product, token, project } = world();
    /** All pages for a filter and a limit, newest first. */
    const walk = async (args: Json) => {
      const found: Json[] = [];
      let cursor: string | null = null;
      do {
        const page: Page = await query({ ...args, ...(cursor === null ? {} : { cursor }) });
        found.push(...page.entries);
        cursor = page.next_cursor;
        // These calls are logged as well; their entries precede the first page.
      } while (cursor !== null);
      return found;
    };
    const seen = (await walk({ limit: 5, since })).map(({ id }) => id);
    expect(seen.length).toBeGreaterThan(15);
    expect(new Set(seen).size).toBe(seen.length);
    const all = JSON.stringify(await walk({ limit: 200 }));
    for (const secret of [secretPrompt, secretAnswer, token, wrapper.token, bridge.token, product.adminKey]) {
      expect(all).not.toContain(secret);
    }
    const failures = await query({ project, status: "4xx", limit: 200 });
    expect(failures.entries.length).toBeGreaterThan(0);
    for (const { status } of failures.entries) expect(Math.floor(Number(status) / 100)).toBe(4);
  });
}
