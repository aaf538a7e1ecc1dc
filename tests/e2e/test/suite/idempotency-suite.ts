import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Json, uniqueName } from "../../src/control-plane-client.ts";
import type { World } from "./world.ts";

const keyName = "gatehouse/idempotency-key";

interface Reply {
  readonly result?: { readonly structuredContent?: Json };
  readonly error?: { readonly message: string };
}

/** Creating operations of every owner: executed once under a key, however often repeated. */
export function describeIdempotency(world: () => World): void {
  let calls: readonly (readonly [operation: string, args: Json])[];

  /** Receiver, upstream and token endpoint that refuses everything. */
  const outside = createServer((_req, res) => void res.writeHead(400).end());
  afterAll(() => void outside.close());

  const make = async (operation: string, args: Json) =>
    await world().control.call<{ id: number; uuid: string }>(operation, args);

  beforeAll(async () => {
    await new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve));
    const { control, primaryName, newProject } = world();
    const { project, tokenId } = await newProject();
    const { project: api } = await newProject({ type: "api_gateway", scopes: ["proxy"] });
    const { project: tools } = await newProject({ type: "mcp_gateway", scopes: ["mcp"] });
    const name = () => uniqueName("once");
    const url = `http://127.0.0.1:${(outside.address() as AddressInfo).port}`;
    const hook = { project, name: name(), url, events: ["token.created"] };
    const { id: webhook } = await make("svc_create_webhook", hook);
    const { id: key } = await make("svc_create_admin_key", { name: name(), role: "viewer" });
    // A separate provider, since each call of it carries its credential.
    const provider = name();
    await make("svc_create_provider", { name: provider, kind: "mock" });
    const targets = [{ provider: primaryName, model: "m" }];
    const upstream = { project: api, slug: name(), upstream_url: url, allowed_methods: ["GET"] };
    const client = { client_id: "c", client_secret: "s", grant: "client_credentials" };
    calls = [
      ["svc_create_project", { name: name(), project_type: "ai_gateway" }],
      ["svc_create_token", { project, name: name(), scopes: ["chat"] }],
      ["svc_rotate_token", { token_id: tokenId }],
      ["svc_create_admin_key", { name: name(), role: "viewer" }],
      ["svc_rotate_admin_key", { admin_key_id: key }],
      ["svc_create_issuer", { project, issuer: `https://${name()}.invalid`, audience: "a", scopes: ["chat"] }],
      ["svc_create_provider", { name: name(), kind: "mock" }],
      ["svc_create_credential", { provider, name: name(), api_key: "sk-once" }],
      ["svc_create_endpoint", { project, slug: name(), targets }],
      ["svc_create_endpoint", upstream],
      ["svc_create_oauth_connection", { project: api, name: name(), token_url: `${url}/token`, ...client }],
      ["svc_create_upstream", { project: tools, prefix: "once", url }],
      ["svc_create_webhook", { ...hook, name: name() }],
      ["svc_rotate_webhook_secret", { webhook_id: webhook }],
      ["svc_add_guardrail_feedback", { project, kind: "missed", text: "Not found." }],
    ];
    const { result } = await control.request("tools/list");
    const { _meta } = result as { readonly _meta: Readonly<Record<string, readonly string[]>> };
    const named = [...new Set(calls.map(([operation]) => operation))];
    expect(named.toSorted()).toEqual(_meta[keyName]?.toSorted());
  });

  test("every operation that takes a key answers all tries under one key as the first", async () => {
    for (const [operation, args] of calls) {
      const params = { name: operation, arguments: args, _meta: { [keyName]: randomUUID() } };
      const ask = async (given: Json) => (await world().control.request("tools/call", given)) as Reply;
      const replies = [...(await Promise.all([ask(params), ask(params), ask(params)])), await ask(params)];
      const [first, ...others] = replies.map(({ result, error }) => result?.structuredContent ?? error);
      expect([operation, first]).toEqual([
        operation,
        expect.not.objectContaining({ code: expect.anything() as unknown }),
      ]);
      for (const other of others) expect([operation, other]).toEqual([operation, first]);
      const { error } = await ask({ ...params, arguments: { ...args, name: "other", text: "other" } });
      expect([operation, error?.message]).toEqual([operation, expect.stringContaining("with other arguments")]);
    }
  });
}
