import { lapse } from "@gatehouse/async/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { send } from "../../src/chat-client.ts";
import { createProject } from "../../src/control-plane-client.ts";
import { answer } from "../../src/scripted-provider.ts";
import type { World } from "./world.ts";

/** Refused requests, with the status and the message of the contract. */
export function describeRefusals(world: () => World): void {
  test("tokens are refused in the decided order with the specified messages", async () => {
    const { product, token, project, control, endpoint } = world();
    const { path } = await endpoint();
    const other = await createProject(control);
    const unscoped = await createProject(control, { scopes: ["mcp", "models"] });
    const bare = await createProject(control, { scopes: [] });
    const cases: readonly [string, Record<string, string>, number, string][] = [
      [path, {}, 401, "Missing Bearer token."],
      [path, { authorization: "Basic dXNlcjpwYXNz" }, 401, "Missing Bearer token."],
      [path, { authorization: "Bearer sk-something" }, 401, "Invalid token format."],
      [path, { authorization: `Bearer ${product.adminKey}` }, 401, "Invalid token format."],
      [path, { authorization: "Bearer svc_live_unknown" }, 401, "Invalid or revoked token."],
      [path, { authorization: `Bearer ${other.token}` }, 403, "Token does not belong to this project."],
      ["/api/no-such-project/x", { authorization: `Bearer ${token}` }, 403, "Token does not belong to this project."],
      [
        `/api/${unscoped.project}/x`,
        { authorization: `Bearer ${unscoped.token}` },
        403,
        "Missing required scope: 'chat'. Token has: mcp, models.",
      ],
      [
        `/api/${bare.project}/x`,
        { authorization: `Bearer ${bare.token}` },
        403,
        "Missing required scope: 'chat'. Token has: none.",
      ],
      [
        `/api/${project}/nothing-here`,
        { authorization: `Bearer ${token}` },
        404,
        "Endpoint 'nothing-here' not found or inactive.",
      ],
    ];
    for (const [at, headers, status, error] of cases) {
      const reply = await send(product, at, { headers, body: { message: "x" } });
      expect([reply.status, reply.body]).toEqual([status, { ok: false, error }]);
    }
  });

  test("a project of another type is told where to go", async () => {
    const { product, control } = world();
    const { project, token } = await createProject(control, { type: "ai_wrapper" });
    const reply = await send(product, `/api/${project}/x`, { token, body: { message: "x" } });
    expect([reply.status, reply.body["error"]]).toEqual([
      400,
      "This project is not an AI Gateway. Use /api/{uuid}/v1/chat/completions for AI Wrapper projects.",
    ]);
  });

  test("another method is 405 with Allow", async () => {
    const { product, token, endpoint } = world();
    const { path } = await endpoint();
    const reply = await send(product, path, { token, method: "GET" });
    expect([reply.status, reply.headers.get("allow")]).toEqual([405, "POST"]);
  });

  test.each<[string, unknown, number]>([
    ["no body", "", 400],
    ["malformed JSON", '{"message": ', 400],
    ["an array", [], 400],
    ["null", "null", 400],
    ["neither message nor messages", {}, 400],
    ["both", { message: "x", messages: [{ role: "user", content: "x" }] }, 400],
    ["a message that is no string", { message: 1 }, 400],
    ["empty messages", { messages: [] }, 400],
    ["an unknown role", { messages: [{ role: "wizard", content: "x" }] }, 400],
    ["content that is no string", { messages: [{ role: "user", content: ["x"] }] }, 400],
    ["a message that is no object", { messages: ["x"] }, 400],
    ["stream that is no boolean", { message: "x", stream: "yes" }, 400],
    ["invalid UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), 400],
    ["a body over the limit", { message: "x".repeat(4 * 1024 * 1024) }, 413],
  ])("%s is refused before the endpoint is looked for", async (_name, body, status) => {
    const { product, project, token } = world();
    const reply = await send(product, `/api/${project}/no-such-endpoint`, { token, body });
    expect(reply.status).toBe(status);
    expect(reply.body).toMatchObject({ ok: false, error: expect.any(String) });
  });

  test("the dispatcher route needs 'endpoint', a string", async () => {
    const { product, project, token } = world();
    for (const endpoint of [undefined, 1, null]) {
      const reply = await send(product, `/api/${project}/chat/completions`, {
        token,
        body: { message: "x", endpoint },
      });
      expect(reply.status).toBe(400);
      expect(reply.body["error"]).toContain("'endpoint'");
    }
  });

  test("no body whatever gives a 500 or a hang", async () => {
    const { product, primary, token, endpoint } = world();
    const { path } = await endpoint({ streaming_enabled: true });
    primary.play(answer("x"));
    const field = fc.constantFrom(
      "message",
      "messages",
      "stream",
      "endpoint",
      "session_id",
      "role",
      "content",
      "__proto__",
    );
    const body = fc.oneof(
      fc.json(),
      fc.dictionary(field, fc.jsonValue()).map((value) => JSON.stringify(value)),
      fc.uint8Array({ maxLength: 200 }),
      fc.string({ unit: "binary", maxLength: 100 }),
    );
    await fc.assert(
      fc.asyncProperty(body, async (value) => {
        const reply = await send(product, path, { token, body: value });
        expect([200, 400, 502]).toContain(reply.status);
      }),
      { numRuns: 150, seed: 7 },
    );
  });

  test("a revoked or rotated token is refused within 250 ms", async () => {
    const { product, control, primary, primaryName } = world();
    const { project, token, tokenId } = await createProject(control);
    const targets = [{ provider: primaryName, model: "m" }];
    await control.call("svc_create_endpoint", { project, slug: "s", targets });
    primary.play(answer("x"));
    const call = async (with_: string) =>
      (await send(product, `/api/${project}/s`, { token: with_, body: { message: "x" } })).status;
    expect(await call(token)).toBe(200);
    const { token: rotated } = await control.call<{ token: string }>("svc_rotate_token", { token_id: tokenId });
    await lapse(250, "the promised bound of a revocation");
    expect([await call(token), await call(rotated)]).toEqual([401, 200]);
    await control.call("svc_revoke_token", { token_id: tokenId });
    await control.call("svc_revoke_token", { token_id: tokenId });
    await lapse(250, "the promised bound of a revocation");
    expect(await call(rotated)).toBe(401);
  });

  test("unknown paths are 404 in JSON", async () => {
    const { product } = world();
    for (const path of ["/nothing", "/.well-known/oauth-protected-resource", "/api", "/api/"]) {
      const reply = await send(product, path, { method: "GET" });
      expect([path, reply.status, reply.body["ok"]]).toEqual([path, 404, false]);
    }
  });
}
