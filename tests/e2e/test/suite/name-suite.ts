import { afterAll, beforeAll, expect, test } from "vitest";
import type { Fields } from "../../src/exchange.ts";
import { ScriptedUpstream } from "../../src/scripted-upstream.ts";
import type { World } from "./world.ts";

/** Settings of a product, and the resulting names. */
export interface Names {
  readonly env: Readonly<Record<string, string>>;
  readonly server: string;
  readonly headers: string;
}

export const defaultNames: Names = { env: {}, server: "Gatehouse", headers: "x-service" };

export const otherNames: Names = {
  env: { SERVICE_NAME: "Drawbridge", WEBHOOK_HEADER_PREFIX: "X-Drawbridge" },
  server: "Drawbridge",
  headers: "x-drawbridge",
};

/** The names that the product uses for itself. Needs webhooks. */
export function describeNames(world: () => World, { server, headers }: Names): void {
  let receiver: ScriptedUpstream;
  beforeAll(async () => {
    receiver = await ScriptedUpstream.start();
  });
  afterAll(async () => await receiver.stop());

  test("SERVICE_NAME is serverInfo.name in Bridge mode, with MCP Gateway appended in Gateway mode", async () => {
    const name = async (type: string) => {
      const { project, token } = await world().newProject({ type, scopes: ["mcp"] });
      const body = { jsonrpc: "2.0", id: 1, method: "initialize" };
      const { result } = (await world().ask(`/api/${project}/mcp`, { token, body })).body;
      return ((result as Fields | undefined)?.["serverInfo"] as Fields | undefined)?.["name"];
    };
    expect([await name("ai_gateway"), await name("mcp_gateway")]).toEqual([server, `${server} MCP Gateway`]);
  });

  test("WEBHOOK_HEADER_PREFIX names the headers of deliveries", async () => {
    const { project } = await world().newProject();
    const { id } = await world().control.call<{ id: number }>("svc_create_webhook", {
      project,
      name: "hook",
      url: receiver.url,
      events: ["token.created"],
    });
    await world().control.call("svc_test_webhook", { webhook_id: id });
    await expect.poll(() => receiver.received.length, { timeout: 5_000 }).toBe(1);
    const seen = receiver.received[0]?.headers ?? {};
    expect(seen[`${headers}-event`]).toBe("webhook.test");
    expect(seen[`${headers}-signature`]).toMatch(/^sha256=[0-9a-f]{64}$/);
    expect(seen[`${headers}-timestamp`]).toMatch(/^\d{10}$/);
    for (const other of [defaultNames, otherNames])
      if (other.headers !== headers) expect(seen).not.toHaveProperty(`${other.headers}-event`);
  });
}
